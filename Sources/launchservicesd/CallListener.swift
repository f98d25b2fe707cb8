internal import ApplicationFolders
internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules

// Every method of the contract: who asks is found out, then one function answers.

extension Daemon {
  func answer(_ incoming: ObjectServer.Request) throws(BusError) {
    let (request, call) = (incoming.content, incoming.call)
    let facts = try known(incoming.facts)
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
      server.answerLater(call) { [self] in .success([.optionsList(await history(options, caller))])
      }
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
    case .deliverDirectly:
      call.succeed([.boolean(try deliveries.deliverDirectly(facts, on: call.sender))])
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
  }

  private func reply(to call: PendingCall, _ reply: Reply) {
    switch reply {
    case .values(let values): call.succeed(values)
    case .later(let work): server.answerLater(call, work)
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

  /// Why nothing is opened, where that is so.
  static let hasNoBus =
    "launchservicesd was started with --direct-only and has no session bus, over which applications"
    + " are reached: end it, and start launchservicesd on a session bus, as dbus-run-session makes one"

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
