package import DBus
package import LaunchRules

/// One call of the contract with its arguments read and its options checked.
package enum IncomingCall: Sendable {
  case canOpenURL(String, QueryOptions)
  case openURL(String, OpenOptions)
  case openDocuments([String], OpenOptions)
  case cancelOpen(String)
  case performQuickAction(application: String, type: String, OpenOptions)
  case openApplication(String, OpenOptions)
  case explain(String, QueryOptions)
  case history(HistoryOptions)
  case monitor
  case waitForExit(pid: UInt32)
  case checkIn(CheckInOptions)
  case finishLaunching(will: Bool?, did: Bool?)
  case retire
  case deliverDirectly
  case setShortcutItems([QuickAction])
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
  case lint(String)
  case reload
  case setDesktopExport(Bool)
  case links(LinkCall)
  case registerAgent(ObjectPath)
  case approvals
  case setApprovals([Approval])
  /// Nil stands for any.
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
  /// It changes nothing, so who has left does without the answer. `CanOpenURL` is none: it is counted.
  package var isQuestion: Bool {
    switch self {
    case .explain, .history, .listApplications, .findApplications, .runningApplications, .handlers,
      .defaultHandler, .handlersOfDocument, .handlersOfType, .typeOfDocument, .lint, .approvals,
      .ping, .machineID, .introspect, .getProperty, .getAllProperties, .managedObjects:
      true
    default: false
    }
  }
}

extension IncomingCall {
  /// It holds descriptors for a process that may be started.
  package var bringsStreams: Bool {
    switch self {
    case .openURL(_, let options), .openDocuments(_, let options),
      .performQuickAction(_, _, let options), .openApplication(_, let options):
      options.hasStreams
    default: false
    }
  }
}

extension IncomingCall {
  /// The length of the URLs that the call brings.
  package var argumentBytes: Int {
    switch self {
    case .canOpenURL(let url, _), .openURL(let url, _), .explain(let url, _): url.utf8.count
    case .openDocuments(let urls, _): urls.reduce(0) { $0 + $1.utf8.count }
    default: 0
    }
  }
}

/// Options of `CanOpenURL` and `Explain`.
package struct QueryOptions: Hashable, Sendable {
  package var actAs: String?
  package var application: String?
  /// For `Explain`: as in `OpenOptions`.
  package var isLink: Bool
  package init(actAs: String? = nil, application: String? = nil, isLink: Bool = false) {
    self.actAs = actAs
    self.application = application
    self.isLink = isLink
  }
}

/// Options of `History`.
package struct HistoryOptions: Hashable, Sendable {
  /// At most 1,000.
  package var limit: UInt32 = 50
  /// Only requests for this application.
  package var application: String?
  /// Only requests accepted at this time or later, in microseconds since 1970.
  package var since: UInt64 = 0
  package init() {}
}

/// Options of `OpenURL` and `PerformQuickAction`.
package struct OpenOptions: Hashable, Sendable {
  package var actAs: String?
  /// The designated handler.
  package var application: String?
  /// The designated handler is the application that asks.
  package var ownApplication = false
  package var newInstance = false
  /// With `newInstance`, processes that were started just now: one that is the application's gets this, too.
  package var instances: [UInt32] = []
  package var activate = true
  package var universalLinksOnly = false
  /// Of a new process only (R5.34).
  package var arguments: [String] = []
  package var environment: [String: String] = [:]
  package var activationToken: String?
  package var annotation: Value?
  package var cancellationID: String?
  package var interactive = true
  /// It is a link, of a page or another document, that the caller's user did not write.
  package var isLink = false
  /// An object of the caller that can ask its user at the terminal.
  package var confirmationAgent: ObjectPath?
  /// Chosen by the client: a request with one that it has used before is not delivered again.
  package var requestID: String?
  /// It was sent before under its `requestID`, and the answer was lost.
  package var isRepeated = false
  /// Told to a new process: start without showing yourself.
  package var hidden = false
  /// Told to a new process: start without restoring what you were last doing.
  package var fresh = false
  /// The standard streams of a new process; nil for nothing to read, and the daemon's own to write.
  package var standardInput: OwnedDescriptor?
  package var standardOutput: OwnedDescriptor?
  package var standardError: OwnedDescriptor?
  package init() {}
}

extension OpenOptions {
  /// A standard stream of a new process was given.
  package var hasStreams: Bool {
    standardInput != nil || standardOutput != nil || standardError != nil
  }

  package mutating func dropStreams() {
    standardInput = nil
    standardOutput = nil
    standardError = nil
  }
}

/// Options of `CheckIn`.
package struct CheckInOptions: Hashable, Sendable {
  package var token: String?
  package var bundleIdentifier: String?
  package var objectPath: ObjectPath?
  /// It has been launched before and comes back to a new daemon.
  package var isRunning = false
  /// It knows the requests it was given by their `request`, and acts on none twice.
  package var remembersRequests = false
  /// Its state when it comes back, such as `active`.
  package var state: String?
  /// It wants documents as open files.
  package var wantsDescriptors = false
  package init(token: String? = nil, bundleIdentifier: String? = nil, objectPath: ObjectPath? = nil)
  {
    self.token = token
    self.bundleIdentifier = bundleIdentifier
    self.objectPath = objectPath
  }
}
