internal import BusContract
internal import Commands
internal import DBus
internal import DBusMainLoop
internal import DesktopEntries
internal import Host
internal import LaunchRules

/// Passes URLs to applications that run already, in the protocol of each application.
struct RunningApplications {
  enum Outcome {
    case taken(HandOver)
    /// No process of the application is reached in this way, so another way may be tried.
    case notTaken
    case failed(DesktopFailure)
  }

  /// A connection to the bus that belongs to a process of the application.
  private struct Endpoint {
    var name: BusName
    /// Calls go to the unique name, so that they reach this process only, and the bus starts none.
    var connection: BusName
    var process: ProcessDetails
  }

  private let session: BusSession
  private let receivers: ReceivingProcess
  private let overdue: OverdueAnswers
  private let folders: UserFolders
  private let output: Output
  /// The protocol that the property list of the only application names.
  private let declared: HandOverTable.Entry?
  /// Timeout of a call; shorter than the daemon's default timeout for a delivery.
  private static let patience: Duration = .seconds(15)
  /// The time within which an application that is ending is expected to end.
  private static let endingTime: Duration = .seconds(5)
  /// The time between two looks for an application that is starting.
  private static let pause: Duration = .milliseconds(50)
  /// The longest time between two looks, while nobody waits.
  private static let longestPause: Duration = .milliseconds(400)

  init(
    _ session: BusSession, _ overdue: OverdueAnswers, _ folders: UserFolders, _ output: Output,
    declared: HandOverTable.Entry? = nil
  ) {
    self.declared = declared
    self.session = session
    self.overdue = overdue
    receivers = ReceivingProcess(session)
    self.folders = folders
    self.output = output
  }

  /// Asks the application to open the URL, if the table has a protocol for the application and a process of the
  /// application takes part in this protocol. Waits for an application that has just been started: until it can be
  /// asked, a second process cannot pass the URL on to it, and some applications then drop the URL.
  func open(
    _ url: String, with application: DesktopApplication, token: String?
  ) async -> Outcome {
    guard let entry = entry(for: application.identifier),
      entry.handOver.allows(application.wordsBeforeURL)
    else { return .notTaken }
    let subject = HandOverProtocol.Subject(
      url,
      commandLine: application.commandLine(opening: url).map(StartedProgramRule.withoutVariables),
      folder: "/", activationToken: token)
    while true {
      if let outcome = await open(subject, with: application, entry) { return outcome }
      let ages = RunningProgram.processes(application.programWords).map(\.age)
      guard StartedProgramRule.isStarting(ages),
        (try? await Task.sleep(for: Self.pause)) != nil
      else { return .notTaken }
    }
  }

  /// Nil when no process of the application takes part in the protocol.
  private func open(
    _ subject: HandOverProtocol.Subject, with application: DesktopApplication,
    _ entry: HandOverTable.Entry
  ) async -> Outcome? {
    entry.place.isOnBus
      ? await openOnBus(subject, with: application, entry)
      : await open(subject, with: application, at: socket(of: entry), in: entry.handOver)
  }

  /// See `DesktopOpener.objection`.
  func objection(to application: DesktopApplication) async -> DesktopFailure? {
    guard let entry = entry(for: application.identifier),
      entry.handOver.allows(application.wordsBeforeURL)
    else { return nil }
    if entry.place.isOnBus {
      do throws(DesktopFailure) {
        _ = try await endpoint(of: entry, application)
        return nil
      } catch {
        return error
      }
    }
    guard let instance = socket(of: entry) else { return nil }
    let objection = await objection(to: instance, of: application, entry.handOver)
    return instance.process.isRunning ? objection : nil
  }

  private func objection(
    to instance: SocketInstance, of application: DesktopApplication, _ handOver: HandOverProtocol
  ) async -> DesktopFailure? {
    await receivers.objection(
      to: instance.process, at: .socket(path: instance.path), of: application,
      Self.isChecked(handOver) ? .run : nil)
  }

  /// Whether a second process checks by itself which process it passes the URL on to, as that of a Chromium browser does.
  private static func isChecked(_ handOver: HandOverProtocol) -> Bool {
    [.chromiumSingleton, .electronSingleton].contains(handOver)
  }

  /// Waits until a process of the application takes part in the protocol of the application. An application that the bus can
  /// start takes part when the process owns its bus name.
  /// - Returns: false when none does in time, another program has taken the place, or the application has no protocol.
  func isReady(_ application: DesktopApplication, within time: Duration) async -> Bool {
    let activation = application.activationName.flatMap { BusName($0) }
    let entry = activation == nil ? entry(for: application.identifier) : nil
    guard activation != nil || entry != nil else { return false }
    let deadline = ContinuousClock.now + time
    var pause = Self.pause
    while ContinuousClock.now < deadline {
      if let activation {
        if (try? await endpoint(at: [activation], application)) != nil { return true }
      } else if let entry, entry.place.isOnBus {
        if (try? await endpoint(of: entry, application)) != nil { return true }
      } else if let instance = entry.flatMap(socket) {
        return RunningProgram.isRun(application.programWords, by: instance.process)
          && instance.process.isRunning
      }
      guard (try? await Task.sleep(for: pause)) != nil else { return false }
      pause = min(pause * 2, Self.longestPause)
    }
    return false
  }

  /// Nil when no process of this user listens at the socket, and for a bus name.
  private func socket(of entry: HandOverTable.Entry) -> SocketInstance? {
    switch entry.place {
    case .singleton(let folder):
      SocketInstance(ofSingleton: folders.configHome + "/" + folder)
    case .socket(let path): SocketInstance(at: folders.configHome + "/" + path)
    case .socketOf(let folder): SocketInstance(of: entry.handOver, folder, folders)
    case .exactly, .beginning, .numbered, .profile: nil
    }
  }

  /// - Parameter instance: nil when no process has the socket.
  private func open(
    _ subject: HandOverProtocol.Subject, with application: DesktopApplication,
    at instance: SocketInstance?, in handOver: HandOverProtocol
  ) async -> Outcome? {
    guard let message = handOver.message(for: subject) else { return .notTaken }
    guard let instance else { return nil }
    let objection = await objection(to: instance, of: application, handOver)
    guard instance.process.isRunning else {
      // A program that is started before the socket is closed may pass the URL to the process that has ended.
      await instance.end(within: Self.patience)
      return .notTaken
    }
    if let objection { return .failed(objection) }
    if Self.isChecked(handOver),
      !RunningProgram.isRun(application.programWords, by: instance.process)
    {
      return .notTaken
    }
    let patience = overdue.patience(with: instance.process, Self.patience)
    let verdict = await overdue.answer(of: instance.process, within: patience, else: .unknown) {
      await instance.send(message, in: handOver, within: $0)
    }
    if verdict == .ending { await end(of: instance.process) }
    return outcome(verdict, nil, of: handOver, application, instance.process, within: patience)
      ?? .notTaken
  }

  /// Waits for the end of a process that is ending, not longer than `endingTime`.
  private func end(of process: ProcessDetails) async {
    let deadline = ContinuousClock.now + Self.endingTime
    while process.isRunning, ContinuousClock.now < deadline {
      guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
    }
  }

  private func openOnBus(
    _ subject: HandOverProtocol.Subject, with application: DesktopApplication,
    _ entry: HandOverTable.Entry
  ) async -> Outcome? {
    let handOver = entry.handOver
    let endpoint: Endpoint?
    do throws(DesktopFailure) {
      endpoint = try await self.endpoint(of: entry, application)
    } catch {
      return .failed(error)
    }
    guard let endpoint else { return nil }
    let requests = handOver.requests(for: subject, to: endpoint.name.text)
    for (step, request) in requests.enumerated() {
      guard let message = request.message(to: endpoint.connection) else { return .notTaken }
      let patience = overdue.patience(with: endpoint.process, Self.patience)
      let answer = BusAnswer(
        await overdue.answer(to: message, of: endpoint.process, within: patience, on: session))
      let verdict = handOver.verdict(on: answer, to: step)
      if let outcome = outcome(
        verdict, answer, of: handOver, application, endpoint.process, within: patience)
      {
        return outcome
      }
    }
    return .notTaken
  }

  /// The protocol of an application and its place. A second process gets the URL when the user's choices cannot be read.
  func entry(for identifier: String) -> HandOverTable.Entry? {
    do throws(CommandFailure) {
      return try HandOverFile(folders).read().entry(for: identifier, declared: declared)
    } catch {
      output.complain(error)
      return nil
    }
  }

  /// Nil when the next request is to be sent.
  private func outcome(
    _ verdict: HandOverProtocol.Verdict, _ answer: BusAnswer?, of handOver: HandOverProtocol,
    _ application: DesktopApplication, _ process: ProcessDetails, within patience: Duration
  ) -> Outcome? {
    switch verdict {
    case .proceed: nil
    case .taken(let delivery):
      .taken(
        HandOver(
          delivery, by: HandOver.Way(handOver), launch: .warm,
          owner: .init(pid: process.pid, startTime: process.startTime)))
    case .notTaken, .ending: .notTaken
    case .refused(let why):
      .failed(DesktopFailure("\(application.identifier) returned an error for the URL: \(why)"))
    case .unknown:
      .failed(
        ReceivingProcess.unanswered(
          application.identifier, process, answer, within: patience))
    }
  }

  // MARK: Finding

  /// The first bus name of the application that a process of its program owns, outside of a sandbox. Any program
  /// may own any free name.
  /// - Throws: when only processes of other programs own a name: a second process of the program would pass the URL
  ///   on to such a process.
  private func endpoint(
    of entry: HandOverTable.Entry, _ application: DesktopApplication
  ) async throws(DesktopFailure) -> Endpoint? {
    try await endpoint(at: names(of: entry, application.programWords), application)
  }

  private func endpoint(
    at names: [BusName], _ application: DesktopApplication
  ) async throws(DesktopFailure) -> Endpoint? {
    var impostor: DesktopFailure?
    for name in names {
      while let owner = try await BusNameOwner.of(name, on: session), let process = owner.process {
        let objection = await receivers.objection(
          to: process, at: .connection(owner.connection), of: application)
        guard process.isRunning else { continue }
        impostor = impostor ?? objection
        guard objection == nil,
          // The number is that of the process that connected, also after the checks.
          await BusNameOwner.processNumber(of: owner.connection, on: session) == process.pid
        else { break }
        return Endpoint(name: name, connection: owner.connection, process: process)
      }
    }
    if let impostor { throw impostor }
    return nil
  }

  /// The process that got the URL of a second process which goes on running; nil when the second process has a name of its
  /// own, or none has.
  /// - Parameters:
  ///   - copy: the number of the second process.
  ///   - before: the processes of the application that ran before.
  func receiver(
    of copy: Int32, _ application: DesktopApplication, _ before: [ProcessDetails]
  ) async -> ProcessDetails? {
    func hasName(_ process: Int32) async -> Bool {
      guard
        let name = KDEService.name(of: application.identifier, process: process)
          .flatMap({ BusName($0) }),
        let owner = try? await BusNameOwner.of(name, on: session)
      else { return false }
      return owner.process?.pid == process
    }
    guard await !hasName(copy) else { return nil }
    for process in before where process.isRunning {
      if await hasName(process.pid) { return process }
    }
    return nil
  }

  /// - Parameter words: the words of the program.
  private func names(of entry: HandOverTable.Entry, _ words: [String]) async -> [BusName] {
    if case .profile(let application, let folders) = entry.place {
      // The running process may have been started with other folders than those of this process.
      let environments = RunningProgram.processes(words).map(\.environmentAtStart)
      return MozillaRemote.folders(
        folders, home: self.folders.home, configHome: self.folders.configHome,
        ofProcesses: environments
      )
      .flatMap { MozillaProfiles(folder: $0).defaults }.compactMap {
        BusName(MozillaRemote.name(of: application, profile: $0.base64))
      }
    }
    let list = try? await session.call(MessageBus.call("ListNames", []), deadline: Self.patience)
    return (list?.first?.elements ?? []).compactMap(\.asString).filter(entry.place.include)
      .sorted().compactMap { BusName($0) }
  }
}

// MARK: - Messages

extension BusRequest {
  /// Nil when a name is none of D-Bus.
  fileprivate func message(to connection: BusName) -> Message? {
    guard let path = ObjectPath(path), let interface = InterfaceName(interface),
      let member = MemberName(member)
    else { return nil }
    return .call(
      to: connection, path: path, interface: interface, member: member,
      arguments.compactMap(\.value))
  }
}

extension BusRequest.Argument {
  /// Nil for an object path that is none.
  fileprivate var value: Value? {
    switch self {
    case .string(let text): return .string(text)
    case .objectPath(let text):
      guard let path = ObjectPath(text) else { return nil }
      return .objectPath(path)
    case .strings(let texts): return .strings(texts)
    case .bytes(let bytes): return Self.array(bytes)
    case .byteStrings(let texts):
      return .array(of: "ay", texts.map { Self.array(Array($0.utf8) + [0]) })
    case .options(let options): return .options(options.compactMapValues(\.value))
    case .json(let object): return .string(JSON.text(object.compactMapValues(\.value)))
    }
  }

  private static func array(_ bytes: [UInt8]) -> Value {
    .array(of: "y", bytes.map(Value.byte))
  }
}

extension BusAnswer {
  init(_ answer: Result<[Value], BusError>) {
    switch answer {
    case .success(let values):
      if case .int32(let status)? = values.first {
        self = .values(status: status)
      } else {
        self = .values(status: nil)
      }
    case .failure(let error):
      self = error == .timedOut ? .none : .error(name: "\(error.name)", text: error.text)
    }
  }
}
