package import DBus
package import LaunchRules

/// One call of the contract with its arguments read and its options checked.
package enum IncomingCall: Sendable {
  case canOpenURL(String, QueryOptions)
  case openURL(String, OpenOptions)
  case openDocuments([String], OpenOptions)
  case cancelOpen(String)
  case requestFate(String, isCancelled: Bool)
  case performQuickAction(application: String, type: String, OpenOptions)
  case openApplication(String, OpenOptions)
  case explain(String, QueryOptions)
  case history(HistoryOptions)
  case monitor
  case waitForExit(pid: UInt32)
  case identifyProcess(pid: UInt32, startTime: UInt64)
  case checkIn(CheckInOptions)
  case finishLaunching(will: Bool?, did: Bool?)
  case retire
  /// The number of a request.
  case handedOver(UInt64)
  /// The number of a request.
  case programFailed(UInt64, HandOver.Failure)
  case deliverDirectly
  case setShortcutItems([QuickAction])
  /// Nil when the application has no current activity.
  case setCurrentActivity(CurrentActivity?)
  case currentActivities
  case devices(startsService: Bool)
  case registerApplication(path: String, definitions: [String: String])
  case unregisterApplication(String)
  case listApplications
  case findApplications(ApplicationQuery)
  case forgetRegistrations(missingOnly: Bool)
  case runningApplications
  case watchApplications
  case watchReading
  case handlers(String)
  case defaultHandler(String)
  case setDefaultHandler(scheme: String, application: String)
  case handlersOfDocument(String)
  case handlersOfType(String)
  case setDefaultHandlerOfType(String, application: String)
  case setHandlerOfDocument(String, application: String)
  case typeOfDocument(String)
  case lint(String, definitions: [String: String])
  case reload
  case setDesktopExport(Bool)
  case setDefaultsGuard(policy: String)
  case links(LinkCall)
  case remotes(RemoteCall)
  case registerAgent(ObjectPath)
  case approvals
  case setApprovals([Approval])
  /// Nil matches any value.
  case resetApprovals(
    opener: Approvals.Opener?, scheme: URLScheme?, handler: BundleIdentifier?)
  case ping
  case machineID
  case introspect
  case getProperty(interface: String, name: String)
  case getAllProperties(interface: String)
  case setProperty(interface: String, name: String)
  case managedObjects
}

extension IncomingCall {
  /// Whether the call changes nothing, so that its answer can be dropped when the caller has left. False for
  /// `CanOpenURL`, because the daemon counts its calls.
  package var isQuestion: Bool {
    switch self {
    case .explain, .history, .listApplications, .findApplications, .runningApplications, .handlers,
      .defaultHandler, .handlersOfDocument, .handlersOfType, .typeOfDocument, .lint, .approvals,
      .ping, .machineID, .introspect, .getProperty, .getAllProperties, .managedObjects,
      .currentActivities, .devices:
      true
    default: false
    }
  }
}

extension IncomingCall {
  /// Whether the call holds descriptors for the standard streams of a new process.
  package var bringsStreams: Bool {
    switch self {
    case .openURL(_, let options), .openDocuments(_, let options),
      .performQuickAction(_, _, let options), .openApplication(_, let options):
      options.hasStreams
    default: false
    }
  }
}
