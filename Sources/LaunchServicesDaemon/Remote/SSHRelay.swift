internal import BusContract
internal import DBus
internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Opens URLs on other machines: sends calls to `lsopen --stdio` there, by ssh with the user's configuration. The daemon
/// itself does not use the network.
final class SSHRelay {
  /// What has become of a call.
  enum Answer: Equatable {
    case reply(Result<[Value], BusError>)
    /// The call was not sent, so it has no effect.
    case notSent(UnsentReason)
    /// The call may have had an effect.
    case unknown(String)
    /// `cancel` ended the call. It may have had an effect.
    case cancelled
  }

  private struct Running {
    var connection: SSHConnection?
    var isCancelled = false
    /// Whether an earlier connection has taken the call.
    var wasSent = false
    /// Ends a pause between two attempts.
    var wake: (@MainActor @Sendable () -> Void)?
  }

  private let services: ServiceManager
  private let environment: HandlerEnvironment
  private let launcher: LauncherSetting
  private let journal: Journal
  private var running: [UInt64: Running] = [:]
  private var last: UInt64 = 0
  private let places: ConnectionPlaces
  private let greetingTime: Duration

  private static let program = "ssh"

  /// - Parameter greetingTime: the time for the connection, the login scripts and the daemon there until the greeting.
  init(
    _ services: ServiceManager, _ environment: HandlerEnvironment, _ launcher: LauncherSetting,
    _ journal: Journal, places: ConnectionPlaces = ConnectionPlaces(),
    greetingTime: Duration = .seconds(45)
  ) {
    self.places = places
    self.greetingTime = greetingTime
    self.services = services
    self.environment = environment
    self.launcher = launcher
    self.journal = journal
  }

  /// A number for one call, by which it can be cancelled.
  func newNumber() -> UInt64 {
    last += 1
    return last
  }

  /// Makes a call, and repeats it while it is not known what has become of it.
  /// - Parameters:
  ///   - destination: as ssh takes it.
  ///   - number: from `newNumber`.
  ///   - answerTime: the time for the answer of a machine that has taken the call.
  ///   - wasSent: whether an earlier daemon may have sent the call.
  ///   - call: the message; receives whether it was sent before.
  func call(
    _ destination: String, number: UInt64,
    answerTime: Duration = RelayAttempts.answerTime(validFor: RelayAttempts.validFor),
    wasSent: Bool = false,
    _ call: (_ isRepeated: Bool) -> Message
  ) async -> Answer {
    running[number] = Running(wasSent: wasSent)
    defer { running[number] = nil }
    if let busy = await places.enter(destination, number) {
      return running[number]?.isCancelled == false ? .notSent(busy) : .cancelled
    }
    defer { places.leave(destination) }
    var attempts = RelayAttempts(wasSent: wasSent)
    while running[number]?.isCancelled == false {
      let bytes = call(attempts.wasSent).marshalled(serial: 1)
      let end = await exchange(bytes, destination, number, answerTime)
      if case .answered(let result) = end { return .reply(result) }
      guard case .failed(let failure) = end, running[number]?.isCancelled == false else { break }
      let step = attempts.next(after: failure)
      // `cancel` reads this during the pause.
      running[number]?.wasSent = attempts.wasSent
      switch step {
      case .notSent(let reason): return .notSent(reason)
      case .unknown(let why): return .unknown(why)
      case .again(let seconds):
        journal.notice(
          "the connection to another machine was cut during an open, which is asked for again",
          ["machine": destination])
        await pause(.seconds(seconds), number)
      }
    }
    return .cancelled
  }

  /// Ends a call. Its answer is `cancelled`, unless it has one already.
  /// - Returns: whether the call may have been sent.
  @discardableResult func cancel(_ number: UInt64) -> Bool {
    guard let call = running[number] else { return false }
    let mayBeSent = call.wasSent || call.connection?.hasSent == true
    running[number]?.isCancelled = true
    places.giveUp(number)
    call.connection?.close()
    call.wake?()
    return mayBeSent
  }

  /// Ends all connections, when the daemon ends.
  func stop() {
    for number in running.keys { cancel(number) }
  }

  private func pause(_ time: Duration, _ number: UInt64) async {
    guard running[number]?.isCancelled == false else { return }
    var timer: Deadline?
    await withCheckedContinuation { continuation in
      var isOver = false
      let finish: @MainActor @Sendable () -> Void = {
        guard !isOver else { return }
        isOver = true
        continuation.resume()
      }
      running[number]?.wake = finish
      timer = Deadline(after: time, finish)
    }
    timer?.cancel()
    running[number]?.wake = nil
  }

  // MARK: Connections

  private func exchange(
    _ call: [UInt8], _ destination: String, _ number: UInt64, _ answerTime: Duration
  ) async -> SSHConnection.End {
    guard let program = ProgramLookup.find(Self.program, path: environment.path) else {
      return .failed(
        .notSent(.noClient("ssh is not installed; install the package openssh-client")))
    }
    let end = await withCheckedContinuation {
      (continuation: CheckedContinuation<SSHConnection.End, Never>) in
      do throws(Errno) {
        let (connection, streams) = try SSHConnection.open(
          call, greetingTime: greetingTime, answerTime: answerTime
        ) {
          continuation.resume(returning: $0)
        }
        running[number]?.connection = connection
        start(
          program, SSHCommand.relay(to: destination, command: RemoteShell.relay), streams,
          connection)
      } catch {
        continuation.resume(
          returning: .failed(
            .notSent(.noClient("the pipes for ssh could not be made: \(error)"))))
      }
    }
    running[number]?.connection = nil
    return end
  }

  private func start(
    _ program: String, _ arguments: [String], _ streams: SSHConnection.Streams,
    _ connection: SSHConnection
  ) {
    switch LauncherChoice.choose(
      launcher, hasServiceManager: services.isPresent, hasUnitName: true)
    {
    case .process: startProcess(program, arguments, streams, connection)
    // The unit of the daemon may have no network; units that systemd starts have it.
    case .unit: startUnit(program, arguments, streams, connection)
    case .refused(let why): endedLater(connection, why)
    }
  }

  private func endedLater(_ connection: SSHConnection, _ why: String) {
    Task { connection.ended(.noClient(why)) }
  }

  private func startProcess(
    _ program: String, _ arguments: [String], _ streams: SSHConnection.Streams,
    _ connection: SSHConnection
  ) {
    var launch = Launch(
      executable: program, arguments: arguments, environment: environment.ofTools,
      workingDirectory: "/")
    launch.standardInput = .descriptor(streams.input.number)
    launch.standardOutput = .descriptor(streams.output.number)
    launch.standardError = .descriptor(streams.error.number)
    do throws(SpawnError) {
      let process = try ChildProcess(launch) { [weak connection] end in
        connection?.ended(Self.reason(end))
      }
      connection.onClose = { process.signalGroup(SIGTERM) }
    } catch {
      endedLater(connection, error.description)
    }
  }

  private func startUnit(
    _ program: String, _ arguments: [String], _ streams: SSHConnection.Streams,
    _ connection: SSHConnection
  ) {
    let unit = "launchservices-ssh-\(randomToken().prefix(16)).service"
    var service = ServiceManagerContract.Service(
      description: "ssh of Launch Services", executable: program, arguments: arguments,
      environment: environment.ofTools.filter { UnitEnvironment.allows($0.key) },
      withoutVariables: HandlerEnvironment.activation, workingDirectory: "/")
    service.standardInput = streams.input
    service.standardOutput = streams.output
    service.standardError = streams.error
    connection.onClose = { [services] in services.stop(unit) }
    services.start(unit, service) { [weak self, weak connection] outcome in
      guard let self else { return }
      switch outcome {
      case .done(let pid): watch(unit, pid, connection)
      // ssh ran, and has written why it ended.
      case .failed(.handlerExited): connection?.ended(nil)
      case .failed(let failure): connection?.ended(.noClient(failure.sentence))
      case .refused(let why): connection?.ended(.noClient(why))
      }
    }
  }

  /// Waits for the end of a unit. Its streams close at the same time.
  private func watch(_ unit: String, _ pid: Int32, _ connection: SSHConnection?) {
    let ended = { [weak self, weak connection] in
      guard let self else { return }
      services.end(of: unit) { [weak self] end in
        self?.services.release(unit)
        connection?.ended(Self.reason(ProcessEnd(end)))
      }
    }
    guard let startTime = ProcessDetails(of: pid)?.startTime,
      (try? ChildProcess(adopting: pid, startTime: startTime, onExit: { _ in ended() })) != nil
    else { return ended() }
  }

  /// Nil when ssh has written why.
  private static func reason(_ end: ProcessEnd) -> UnsentReason? {
    guard case .exited(let code) = end, SSHStatus(code).isCommandMissing else { return nil }
    return .noCommand
  }
}
