internal import BusContract
internal import Commands
internal import DBus
internal import DBusMainLoop
internal import DesktopEntries
internal import Events
internal import Glibc
internal import Host
internal import LaunchRules

/// A handler application: launchservicesd starts it and delivers URLs, and it passes each URL to the user's
/// default desktop application.
final class Bridge {
  private let session: BusSession
  private let opener: DesktopOpener
  private let output: Output
  private let idle: Duration
  /// The unique name of the daemon; nil while no daemon runs.
  private var service: String?
  private var state = "inactive"
  /// The activation token of this launch, for the URL that caused the launch.
  private var launchToken: String?
  private var memory = AnswerMemory()
  private var underWay = 0
  private var ending: Deadline?

  /// Never returns.
  /// - Parameter application: nil for the defaults of the desktop.
  static func run(application: BridgedApplication?, idle: Int, _ output: Output) -> Never {
    let bridge: Bridge
    do throws(BusError) {
      bridge = try Bridge(application, idle: .seconds(idle), output)
    } catch {
      output.complain("launchservicesd refused the check-in: \(error.text)")
      exit(ExitCode.failed.rawValue)
    }
    return withExtendedLifetime(bridge) { MainLoop.run() }
  }

  private init(
    _ application: BridgedApplication?, idle: Duration, _ output: Output
  ) throws(BusError) {
    self.idle = idle
    self.output = output
    signal(SIGPIPE, SIG_IGN)
    let connection = try Connection()
    session = BusSession(connection)
    opener = DesktopOpener(session, application, output)
    _ = try connection.callAndWait(
      MessageBus.addMatch(MessageBus.ownerChanges(of: Contract.busName)))
    service = try connection.callAndWait(
      MessageBus.nameOwner(Contract.busName)
    ).first?.asString
    launchToken =
      ProcessArguments.environment("XDG_ACTIVATION_TOKEN")
      ?? ProcessArguments.environment("DESKTOP_STARTUP_ID")
    var options = CheckInOptions(
      token: ProcessArguments.environment(Contract.tokenVariable),
      bundleIdentifier: ProcessArguments.environment(Contract.identifierVariable),
      objectPath: Contract.applicationPath)
    options.remembersRequests = true
    _ = try connection.callAndWait(Contract.checkIn(options), milliseconds: 25_000)
    serve()
    // The open that caused the launch follows as a call, also one without a URL.
    session.call(Contract.finishLaunching(will: nil, did: nil), deadline: nil) { _ in }
    rest()
  }

  private func surroundings(_ options: Options) -> DesktopOpener.Surroundings {
    let token = options[Key.activationToken]?.asString ?? launchToken
    launchToken = nil
    return DesktopOpener.Surroundings(
      token: token, hops: options[Key.hops]?.asString.flatMap(BridgeHops.init),
      variables: options[Key.environment]?.asStringDictionary ?? [:])
  }

  private func serve() {
    session.onDisconnect = { exit(0) }
    session.onSignal = { [weak self] in self?.received($0) }
    session.onCall = { [weak self] in self?.answer($0) }
    session.start()
  }
}

// MARK: - The daemon

extension Bridge {
  private func received(_ signal: borrowing Message) {
    // Any client may send a signal of this name; only signals of the bus are trusted.
    guard MessageBus.isOwnerChange(signal) else { return }
    let names = signal.arguments().compactMap(\.asString)
    guard names.count == 3, names[0] == Contract.busName.text else { return }
    service = names[2].isEmpty ? nil : names[2]
    if service != nil { checkInAgain() }
  }

  /// Checks in with a new daemon, which identifies this process by the record of the previous daemon.
  private func checkInAgain() {
    var options = CheckInOptions(objectPath: Contract.applicationPath)
    options.isRunning = true
    options.remembersRequests = true
    options.state = state
    session.call(Contract.checkInAgain(options), deadline: nil) { [output] answer in
      guard case .failure(let error) = answer, !ReconnectPolicy.isInterruption(error) else {
        return
      }
      output.complain("launchservicesd refused the check-in after its restart: \(error.text)")
    }
  }

  /// Ends this process after the idle time, unless a delivery arrives.
  private func rest() {
    ending = Deadline(after: idle) { [weak self] in self?.retire() }
  }

  /// Requests the end of this process; the daemon refuses while a delivery is pending.
  private func retire() {
    guard service != nil else { exit(0) }
    session.call(Contract.retire(), deadline: .seconds(10)) { [weak self] answer in
      guard let self, underWay == 0 else { return }
      if (try? answer.get())?.first?.asBoolean != true { rest() }
    }
  }
}

// MARK: - Deliveries

extension Bridge {
  private func answer(_ call: PendingCall) {
    guard call.interface == Contract.application.text || call.interface == nil else {
      return call.fail(
        BusError(
          .unknownInterface, "the only interface is Application1"))
    }
    guard call.sender == service else {
      return call.fail(
        BusError(
          .accessDenied,
          "only the owner of \(Contract.busName) may call \(call.member)"))
    }
    switch (call.member, call.signature) {
    case ("OpenURLs", "a(sa{sv})"): open(call)
    case ("Reopen", "a{sv}"): reopen(call)
    case ("StateChanged", "s"):
      state = call.arguments().first?.asString ?? state
      call.succeed()
    default:
      call.fail(
        BusError(
          .notSupported,
          "the bridge to desktop applications opens URLs and applications only"))
    }
  }

  private func open(_ call: PendingCall) {
    let urls = call.arguments().first?.elements ?? []
    let texts = urls.compactMap { $0.elements?.first?.asString }
    guard !texts.isEmpty, texts.count == 1 || texts.allSatisfy(DocumentURL.isOne),
      let options = urls.first?.elements?.last?.asOptions
    else {
      return call.fail(.invalidArguments("OpenURLs accepts one URL, or several documents"))
    }
    var surroundings = surroundings(options)
    let request = options[Key.request]?.asUInt64
    let isRepeated = options[Key.repeated]?.asBoolean ?? false
    guard memory.begins(request, isRepeated: isRepeated, { Self.give($0, texts.count, to: call) })
    else {
      return
    }
    begin()
    if let request, texts.count == 1 {
      surroundings.onReady = { [weak self] in self?.ready(request, $0) }
      surroundings.onFailure = { [weak self] in self?.failed(request, $0) }
    }
    opener.open(texts, surroundings) { [weak self] known in
      guard let self else { return }
      memory.ended(request, known)
      Self.give(known, texts.count, to: call)
      end()
    }
  }

  /// Tells the daemon more than the answer to the delivery has said.
  private func ready(_ request: UInt64, _ known: HandOver) {
    memory.learned(request, known)
    session.call(Contract.handedOver(request), deadline: .seconds(10)) { _ in }
  }

  /// Tells the daemon that the program has failed after the answer to the delivery.
  private func failed(_ request: UInt64, _ failure: HandOver.Failure) {
    session.call(Contract.programFailed(request, failure), deadline: .seconds(10)) { _ in }
  }

  private func reopen(_ call: PendingCall) {
    begin()
    opener.openApplication(surroundings(call.arguments().first?.asOptions ?? [:])) {
      [weak self] known in
      switch known {
      case .success(let handOver):
        call.succeed([.boolean(true), .options(handOver.dictionary)])
      case .failure: Self.give(known, 0, to: call)
      }
      self?.end()
    }
  }

  private func begin() {
    underWay += 1
    ending = nil
  }

  private func end() {
    underWay -= 1
    if underWay == 0 { rest() }
  }

  private static func give(_ known: AnswerMemory.Known, _ count: Int, to call: PendingCall) {
    switch known {
    case .success(let handOver):
      let handled = Value.booleans([Bool](repeating: true, count: count))
      call.succeed([handled, .options(handOver.dictionary)])
    case .failure(let failure) where failure.mayHaveArrived:
      call.fail(BusError(Contract.deliveryUnknown, failure.description))
    case .failure(let failure): call.fail(.failed(failure.description))
    }
  }
}
