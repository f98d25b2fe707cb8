internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules

extension IncomingCall {
  /// The row of the access table that applies to the call.
  var accessKind: AccessRule.CallKind {
    switch self {
    case .canOpenURL: .question
    case .history: .history
    case .explain(let url, _): DocumentURL.isOne(url) ? .documentQuestion : .explanation
    case .openURL(let url, _): DocumentURL.isOne(url) ? .openDocuments : .open
    case .openDocuments: .openDocuments
    case .performQuickAction, .openApplication: .open
    case .cancelOpen, .requestFate: .ownRequest
    case .remotes: .remotes
    case .finishLaunching, .retire, .handedOver, .programFailed, .deliverDirectly,
      .setShortcutItems, .setCurrentActivity:
      .continuation
    case .checkIn: .checkIn
    case .monitor: .monitor
    case .currentActivities: .activities
    case .watchApplications: .applicationMonitor
    case .registerAgent: .confirmationAgent
    case .approvals, .setApprovals, .resetApprovals: .approvals
    case .setDesktopExport: .desktopExport
    case .setDefaultsGuard: .defaultsGuard
    case .handlersOfDocument, .handlersOfType, .setDefaultHandlerOfType, .setHandlerOfDocument,
      .typeOfDocument:
      .fileRegistry
    case .waitForExit, .identifyProcess, .registerApplication, .unregisterApplication,
      .listApplications,
      .findApplications, .forgetRegistrations, .runningApplications, .watchReading, .handlers,
      .defaultHandler, .setDefaultHandler, .lint, .reload, .links, .devices:
      .registry
    case .ping, .machineID, .introspect, .getProperty, .getAllProperties, .setProperty,
      .managedObjects:
      .question
    }
  }

  /// The subject under which a refused open is recorded; nil for other calls.
  var openedSubject: String? {
    switch self {
    case .openURL(let url, _): url
    case .openDocuments(let urls, _): urls.first
    default: nil
    }
  }

  /// Whether the call counts for the limit of the opens of a remote. A repetition of an open counts when it proves to be
  /// the first one, so that a repetition within the limit always gets the result of the first one.
  var isCountedForRemotes: Bool {
    switch self {
    case .openURL(let url, let options): !options.isRepeated || DocumentURL.isOne(url)
    case .openDocuments, .performQuickAction, .openApplication, .requestFate: true
    default: false
    }
  }
}

extension AccessRule.Caller {
  init(_ caller: IdentifiedCaller, isDirect: Bool, in registry: Registry) {
    self.init(caller.caller)
    sandboxed = registry.sandboxed(caller.caller)
    if case .application(let own, _) = caller.caller {
      isSystem = registry.application(own)?.isSystem == true
    }
    isFromBrowser = caller.facts.isFromBrowser
    if case .outsider = caller.caller { hasOtherFiles = caller.facts.hasOtherRoot }
    if case .outsider(.forwarder) = caller.caller { hasOtherFiles = true }
    if caller.facts.flatpak != nil { hasOtherFiles = true }
    self.isDirect = isDirect
  }
}

extension AccessRule.Refusal {
  var busError: BusError {
    switch self {
    case .notSupported(let why):
      BusError(.notSupported, why)
    case .openNotPermitted(let why): OpenFailure.notPermitted(why).busError
    case .notPermitted(let why): RegistrationFailure.notPermitted(why).busError
    }
  }
}
