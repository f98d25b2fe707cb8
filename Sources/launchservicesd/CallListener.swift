internal import ApplicationFolders
internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules

// Every method of the contract: who asks is found out, then one function answers.

extension Daemon {
  func received(_ call: PendingCall) {
    guard !isStopping else { return refuseStopping(call) }
    resting.worked()
    let request: IncomingCall
    do throws(BusError) {
      // Read first: a call that waits must hold no descriptors but those it is about.
      request = try IncomingCall(call)
      call.dropDescriptors()
      if request.bringsStreams { try holdStreams() }
    } catch {
      return refuse(call, error)
    }
    // Everything waits for this, so that no call overtakes an earlier one of the same caller.
    var isAtOnce = true
    callers.withFacts(of: call.sender) { [weak self] facts in
      let incoming = BusyCallers.Incoming(request: request, call: call, facts: facts)
      if isAtOnce { self?.answerInTurn(incoming) } else { self?.answerOfNew(incoming) }
    }
    isAtOnce = false
  }

  /// Calls with standard streams that may wait to be dealt with.
  private static let mostHeldStreams = 32

  private func holdStreams() throws(BusError) {
    guard heldStreams < Self.mostHeldStreams else {
      throw OpenFailure.limitExceeded(
        "\(Self.mostHeldStreams) calls that bring stdin, stdout or stderr wait already, which is the"
          + " limit"
      ).busError
    }
    heldStreams += 1
  }

  func releaseStreams(of request: IncomingCall) {
    if request.bringsStreams { heldStreams -= 1 }
  }

  func refuse(_ call: PendingCall, _ error: BusError) {
    if error.name == Contract.limitExceeded {
      session(of: call.sender).hold(call.sender, for: .milliseconds(5))
    }
    call.fail(error)
  }

  private func refuseStopping(_ call: PendingCall) {
    call.fail(OpenFailure.shuttingDown("the launch services daemon is shutting down").busError)
  }

  /// What anybody may ask of any object; nil for the methods of our own interfaces.
  private func standardAnswer(
    _ request: IncomingCall, path: String
  ) throws(BusError) -> [Value]? {
    switch request {
    case .ping: return []
    case .machineID: return [.string(try localMachineID())]
    case .introspect: return [.string(try ObjectTree.introspection(of: path))]
    case .getProperty(Contract.registry.text, "Generation"):
      return [.variant(.uint64(registry.generation))]
    case .getProperty(Contract.registry.text, "DesktopExport"):
      return [.variant(.boolean(desktopExporter.isOn))]
    case .getProperty(let interface, let name):
      throw BusError(
        "org.freedesktop.DBus.Error.UnknownProperty", "\(interface) has no property \(name)")
    case .getAllProperties(let interface):
      return [
        .options(
          interface == Contract.registry.text
            ? registryProperties : [:])
      ]
    case .setProperty(let interface, let name):
      throw BusError(
        "org.freedesktop.DBus.Error.PropertyReadOnly", "\(interface).\(name) cannot be set")
    case .managedObjects: return [ObjectTree.managedObjects(registryProperties)]
    default: return nil
    }
  }

  private var registryProperties: Options {
    [
      "Generation": .uint64(registry.generation),
      "DesktopExport": .boolean(desktopExporter.isOn),
    ]
  }

  func answer(_ incoming: BusyCallers.Incoming) {
    let (request, call, facts) = (incoming.request, incoming.call, incoming.facts)
    releaseStreams(of: request)
    guard !isStopping else { return refuseStopping(call) }
    if call.callerHasLeft, request.isQuestion { return call.abandon() }
    do throws(BusError) {
      if let answer = try standardAnswer(request, path: call.path) { return call.succeed(answer) }
      let facts = try known(facts)
      if direct[call.sender] != nil { try forbidDirect(request) }
      let caller = try identifier.caller(on: call.sender, facts)
      switch request {
      case .canOpenURL(let url, let options):
        call.succeed([.boolean(try canOpen(url, options, caller, call.sender))])
      case .explain(let url, let options) where DocumentURL.isOne(url):
        try forbidOtherRoot(call.sender)
        explainDocument(url, options, caller, call)
      case .explain(let url, let options):
        call.succeed([.options(try explain(url, options, caller, call.sender))])
      case .history(let options):
        answerLater(call) { [self] in .success([.optionsList(await history(options, caller))]) }
      case .monitor: try monitor(caller, call)
      case .openURL(let url, let options): try open(url, options, caller, call)
      case .openDocuments(let urls, let options): try openDocuments(urls, options, caller, call)
      case .performQuickAction(let application, let type, let options):
        try performQuickAction(application, type, options, caller, call)
      case .openApplication(let name, let options):
        try openApplication(name, options, caller, call)
      case .waitForExit(let pid):
        try forbidSandboxed(caller)
        try waitForExit(pid, call)
      case .cancelOpen(let id): try cancel(id, call)
      case .registerAgent, .approvals, .setApprovals, .resetApprovals:
        try forbidAnswering(caller, call.sender)
        call.succeed(
          try confirmations.answer(
            request, of: call.sender,
            executable: callers.facts(of: call.sender)?.executable?.path ?? "?"))
      case .checkIn(let options): checkIn(options, caller, facts, call)
      case .setShortcutItems(let items): try setShortcutItems(items, call)
      case .retire: try retire(call)
      case .deliverDirectly: try deliverDirectly(facts, call)
      case .finishLaunching(let will, let did):
        try finishLaunching(LaunchAnswers(will: will, did: did), call)
      case .lint(let path):
        try forbidSandboxed(caller)
        lint(path, call)
      case .registerApplication(let path, let definitions):
        try forbidSandboxed(caller)
        register(path, definitions, call)
      case .unregisterApplication(let name):
        try forbidSandboxed(caller)
        try unregister(name, call)
      case .forgetRegistrations(let missingOnly):
        try forbidSandboxed(caller)
        try forgetRegistrations(missingOnly: missingOnly, call)
      case .watchApplications:
        try forbidSandboxed(caller)
        try watchApplications(caller, call)
      case .watchReading:
        try forbidSandboxed(caller)
        try watchReading(caller, call)
      case .handlersOfDocument, .handlersOfType, .setDefaultHandlerOfType, .setHandlerOfDocument,
        .typeOfDocument:
        try forbidSandboxed(caller)
        try forbidOtherRoot(call.sender)
        documentAnswer(request, call)
      case .findApplications(let query):
        try forbidSandboxed(caller)
        findApplications(query, call)
      case .handlers(let scheme):
        try forbidSandboxed(caller)
        try handlers(scheme, call)
      case .reload:
        try forbidSandboxed(caller)
        reload(call)
      case .links(let request):
        try forbidSandboxed(caller)
        reply(to: call, try links.answer(request, in: registry))
      default:
        try forbidSandboxed(caller)
        call.succeed(try registryAnswer(request))
      }
    } catch {
      refuse(call, error)
    }
  }

  private func reply(to call: PendingCall, _ reply: Reply) {
    switch reply {
    case .values(let values): call.succeed(values)
    case .later(let work): answerLater(call, work)
    }
  }

  /// Who shows a notification answers for the user.
  func isNoApplication(_ connection: String) async -> Bool {
    await withCheckedContinuation { continuation in
      callers.withFacts(of: connection) { [weak self] facts in
        guard let self, let facts = try? facts.get() else {
          return continuation.resume(returning: false)
        }
        let caller = try? identifier.caller(on: connection, facts)
        continuation.resume(returning: !facts.isFromBrowser && caller == .unidentified)
      }
    }
  }

  /// The user's answers are the user's alone.
  private func forbidAnswering(_ caller: Caller, _ sender: String) throws(BusError) {
    switch caller {
    case .application(let own, _) where registry.application(own)?.isSystem != true:
      throw RegistrationFailure.notPermitted(
        "\(own) is an application, and the user's answers are not its to give"
      ).busError
    case .orphan:
      throw RegistrationFailure.notPermitted(
        "the caller descends from an application, and the user's answers are not its to give"
      ).busError
    case .application, .unidentified: break
    }
    guard callers.facts(of: sender)?.isFromBrowser == false else {
      throw RegistrationFailure.notPermitted(
        "the caller was started by a browser, and the user's answers are not a page's to give"
      ).busError
    }
  }

  func known(_ answer: CallerTable.Answer) throws(BusError) -> CallerTable.Facts {
    let why: String
    switch answer {
    case .success(let facts): return facts
    case .failure(.notOurs): why = "the caller is not a process of this user that can be identified"
    case .failure(.unread(let reason)): why = reason
    }
    throw BusError("org.freedesktop.DBus.Error.AccessDenied", why)
  }

  /// What goes on after the answer needs the bus, which tells both sides when the other has gone and who
  /// comes after it.
  private func forbidDirect(_ request: IncomingCall) throws(BusError) {
    if !hasBus { try forbidWithoutBus(request) }
    switch request {
    case .checkIn, .registerAgent, .monitor, .watchApplications:
      throw BusError(
        "org.freedesktop.DBus.Error.NotSupported",
        "this call is for connections of the session bus, and this one is direct")
    default: break
    }
  }

  /// Handlers are reached over the bus, and so is the desktop.
  private func forbidWithoutBus(_ request: IncomingCall) throws(BusError) {
    switch request {
    case .openURL, .openDocuments, .openApplication, .performQuickAction, .checkIn, .registerAgent,
      .monitor, .watchApplications, .setDesktopExport:
      throw BusError("org.freedesktop.DBus.Error.NotSupported", Self.hasNoBus)
    default: break
    }
  }

  /// What is installed, what runs and who handles what is more than an application declared that it
  /// may ask, and not its to change (R3.3).
  private func forbidSandboxed(_ caller: Caller) throws(BusError) {
    guard let sandboxed = registry.sandboxed(caller) else { return }
    throw RegistrationFailure.notPermitted(
      "\(sandboxed), and the registry is for the user's own tools"
    ).busError
  }

  func isSandboxed(_ application: BundleIdentifier) -> Bool {
    registry.application(application)?.declaration.platform == .iOS
  }
}
