internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Events
internal import FoundationEssentials
internal import Glibc
internal import LaunchRules

/// The process of a handler: checks in with the daemon, launches the delegate, and answers the daemon's calls until
/// the bus closes the connection.
@MainActor final class HandlerProcess {
  /// Replaced after the end of a daemon without a bus.
  private var session: BusSession
  private let place: DaemonPlace
  private let application: RunningApplication
  /// The unique name of the daemon; nil while no daemon runs.
  private var service: String?
  private var hasLaunched = false
  private var direct: DirectDeliveries?
  private var connecting: Task<Void, Never>?

  /// Never returns. Exits with status 0 when the bus closes the connection.
  static func run(_ delegate: any ApplicationDelegate.Type) -> Never {
    StandardStreams.writeLinesAtOnce()
    let process: HandlerProcess
    do throws(StartFailure) {
      process = try HandlerProcess(delegate)
    } catch {
      StandardStreams.complain(error.sentence)
      exit(error.status)
    }
    return withExtendedLifetime(process) { MainLoop.run() }
  }

  private init(_ type: any ApplicationDelegate.Type) throws(StartFailure) {
    let start = try Self.checkIn()
    let answer = start.answer
    (session, place, service) = (BusSession(start.connection), start.place, start.service)
    application = RunningApplication(type.init(), of: .shared)
    serve()
    Application.shared.takeShortcutItems(answer)
    let answers = try application.finishLaunching(answer)
    finish(Contract.finishLaunching(will: answers.will, did: answers.did))
    hasLaunched = true
  }
}

// MARK: - Check-in

/// How a handler reaches the daemon.
enum DaemonPlace {
  case bus
  /// A direct connection, because there is no bus, or because a daemon without a bus started this process.
  case socket
  /// A direct connection, because nobody on the bus is the daemon.
  case besideBus

  /// A connection to the next daemon; nil when there is none, and for the bus.
  @MainActor fileprivate var nextConnection: Connection? {
    switch self {
    case .bus: nil
    case .socket: DaemonConnection.directConnectionOfProcess
    case .besideBus: try? DaemonConnection.connectionBesideBusOfProcess()
    }
  }
}

extension HandlerProcess {
  private struct Start {
    var connection: Connection
    var place: DaemonPlace
    /// The unique name of the daemon.
    var service: String?
    var answer: Options = [:]
  }

  private static func checkIn() throws(StartFailure) -> Start {
    var connected: Connection?
    do throws(BusError) {
      var start = try connect()
      connected = start.connection
      let options = checkInOptions()
      do throws(BusError) {
        if start.place == .bus { start.service = try watchService(start.connection) }
        start.answer = try checkIn(start.connection, options)
      } catch {
        guard start.place == .bus, DirectOnlyDaemon.mayAnswer(instead: error),
          let other = try DaemonConnection.connectionBesideBusOfProcess()
        else { throw error }
        start = Start(connection: other, place: .besideBus)
        connected = other
        start.answer = try checkIn(other, options)
      }
      return start
    } catch {
      let failure = StartFailure(error)
      if case .alreadyRunning = failure, let connected { try ForwardedLaunch.run(on: connected) }
      throw failure
    }
  }

  /// Connects to the bus; where there is none, to the socket of a daemon that works without one.
  private static func connect() throws(BusError) -> Start {
    if DaemonConnection.isHandlerWithoutBus,
      let connection = DaemonConnection.directConnectionOfProcess
    {
      return Start(connection: connection, place: .socket)
    }
    do throws(BusError) {
      return Start(connection: try Connection(), place: .bus)
    } catch {
      guard let connection = DaemonConnection.directConnectionOfProcess else { throw error }
      return Start(connection: connection, place: .socket)
    }
  }

  /// Watches the owner of the daemon's bus name. Returns the current owner.
  private static func watchService(_ connection: Connection) throws(BusError) -> String? {
    _ = try connection.callAndWait(
      MessageBus.addMatch(MessageBus.ownerChanges(of: Contract.busName)))
    do throws(BusError) {
      return try connection.callAndWait(
        MessageBus.nameOwner(Contract.busName)
      ).first?.asString
    } catch {
      return nil  // the check-in starts the daemon, and the bus then signals its unique name
    }
  }

  private static func checkInOptions() -> CheckInOptions {
    let environment = ProcessInfo.processInfo.environment
    // The token is valid for one process: child processes must not inherit it.
    unsafe unsetenv(Contract.tokenVariable)
    unsafe unsetenv(Contract.identifierVariable)
    var options = CheckInOptions(
      token: environment[Contract.tokenVariable],
      bundleIdentifier: environment[Contract.identifierVariable],
      objectPath: Contract.applicationPath)
    options.remembersRequests = true
    options.takesConnectionOptions = true
    return options
  }

  private static func checkIn(
    _ connection: Connection, _ options: CheckInOptions
  ) throws(BusError) -> Options {
    try connection.callAndWait(Contract.checkIn(options), milliseconds: 25_000).first?
      .asOptions ?? [:]
  }

  private func finish(_ message: borrowing Message) {
    session.call(message, deadline: nil) { [weak self] answer in
      self?.receiveDirectly()
      // After a restart of the daemon this process checks in again.
      guard case .failure(let error) = answer, !ReconnectPolicy.isInterruption(error),
        error.name != "org.launchservices.Error.AlreadyRunning"  // with this same daemon
      else { return }
      StandardStreams.complain("Launch Services rejected the end of the launch: \(error.text)")
    }
  }
}

// MARK: - Serving

extension HandlerProcess {
  private func serve() {
    session.onDisconnect = { [weak self] in self?.lostConnection() }
    session.onSignal = { [weak self] signal in self?.handle(signal) }
    session.onCall = { [weak self] call in
      guard let self else { return }
      answer(call, isFromService: place != .bus || call.sender == service)
    }
    Application.shared.service.use(session)
    session.start()
  }

  /// Without a bus the connection ends with the daemon, and the next daemon is awaited. The end of the bus is the end of
  /// the session.
  private func lostConnection() {
    guard place != .bus else { exit(0) }
    Task {
      for delay in ReconnectPolicy.delays {
        try? await Task.sleep(for: .milliseconds(delay))
        guard let connection = place.nextConnection else { continue }
        session = BusSession(connection)
        serve()
        checkInAgain()
        return
      }
      exit(0)
    }
  }

  private func handle(_ signal: borrowing Message) {
    // Every connection can send a signal of this name; only the bus's own signal counts.
    guard MessageBus.isOwnerChange(signal) else { return }
    let names = signal.arguments().compactMap(\.asString)
    guard names.count == 3, names[0] == Contract.busName.text else { return }
    service = names[2].isEmpty ? nil : names[2]
    if service != nil, hasLaunched { checkInAgain() }
  }

  /// Checks in with a new daemon, which identifies this process by the record of the earlier daemon.
  private func checkInAgain() {
    var options = CheckInOptions(objectPath: Contract.applicationPath)
    options.isRunning = true
    options.remembersRequests = true
    options.takesConnectionOptions = true
    options.state = "\(Application.shared.applicationState)"
    session.call(Contract.checkInAgain(options), deadline: nil) { [weak self] answer in
      self?.receiveDirectly()
      if case .success = answer { Application.shared.offerAgain() }
      guard case .failure(let error) = answer, !ReconnectPolicy.isInterruption(error) else {
        return
      }
      StandardStreams.complain("Launch Services rejected the new check-in: \(error.text)")
    }
  }

  /// Receives deliveries on a direct connection from now on, if the daemon accepts one.
  private func receiveDirectly() {
    guard place == .bus else { return }
    direct = nil
    connecting?.cancel()
    guard let socket = DaemonConnection.directSocket else { return }
    connecting = Task { [weak self] in
      let connection = await DirectDeliveries.connect(socket)
      guard let connection, let self, !Task.isCancelled else { return }
      direct = DirectDeliveries(
        on: connection, besides: session, offer: Contract.deliverDirectly
      ) { [weak self] call in
        self?.answer(call, isFromService: true)
      }
    }
  }

  private func answer(_ call: PendingCall, isFromService: Bool) {
    do throws(BusError) {
      switch try ApplicationCall(call, isFromService: isFromService) {
      case .openURLs(let urls): call.succeed([.booleans(application.open(urls))])
      case .performQuickAction(let action, let request, let isRepeated):
        let answer = OneAnswer(to: call)
        application.performQuickAction(action, request: request, isRepeated: isRepeated) {
          answer.give($0)
        }
      case .continueUserActivity(let activity):
        call.succeed([.boolean(application.continueActivity(activity))])
      case .reopen:
        application.reopen()
        call.succeed()
      case .stateChanged(let state):
        application.change(to: state)
        call.succeed()
      case .introspect:
        call.succeed([
          .string(InterfaceDescription.document(interfaces: ApplicationCall.interfaces))
        ])
      case .ping: call.succeed()
      case .machineID: call.succeed([.string(try localMachineID())])
      }
    } catch {
      call.fail(error)
    }
  }
}

/// Answers a quick action once, even if the application calls the completion handler twice.
@MainActor private final class OneAnswer {
  private var call: PendingCall?
  init(to call: PendingCall) { self.call = call }

  func give(_ handled: Bool) {
    call?.succeed([.boolean(handled)])
    call = nil
  }
}
