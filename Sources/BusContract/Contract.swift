package import DBus

/// The names of the contract, each written once.
package enum Contract {
  package static let busName: BusName = "org.launchservices.LaunchServices1"
  package static let objectPath: ObjectPath = "/org/launchservices/LaunchServices1"
  /// The path at which a handler exports `Application1`, unless its check-in names another path.
  package static let applicationPath: ObjectPath = "/org/launchservices/Application"

  package static let workspace: InterfaceName = "org.launchservices.Workspace1"
  package static let launch: InterfaceName = "org.launchservices.Launch1"
  package static let registry: InterfaceName = "org.launchservices.Registry1"
  package static let application: InterfaceName = "org.launchservices.Application1"
  /// The error text for a cancelled call whose open continues, because another call waits for it.
  package static let openGoesOn = "another call waits for the open, so the open continues"
  /// A signal of the registry: the number of property lists that are read, and of all that were found.
  package static let readingProgress: MemberName = "ReadingProgress"
  package static let freedesktopApplication: InterfaceName = "org.freedesktop.Application"
  /// The method that delivers URLs.
  package static let openURLs: MemberName = "OpenURLs"
  package static let continueUserActivity: MemberName = "ContinueUserActivity"
  package static let performQuickAction: MemberName = "PerformQuickAction"
  package static let reopen: MemberName = "Reopen"
  package static let limitExceeded: ErrorName = "org.launchservices.Error.LimitExceeded"

  /// The environment variable that contains the check-in token of a started process.
  package static let tokenVariable = "LAUNCH_SERVICES_TOKEN"
  /// The environment variable that contains the bundle identifier of a started process.
  package static let identifierVariable = "LAUNCH_SERVICES_BUNDLE_IDENTIFIER"
  /// The variable with the socket of the daemon; only in handlers of a daemon without a bus. The session may have a bus
  /// all the same.
  package static let socketVariable = "LAUNCH_SERVICES_SOCKET"
}

extension Signature {
  // Constants, because a literal is validated at each use.
  package static let urlContext: Signature = "(sa{sv})"
  static let trailStep: Signature = "(st)"
}

/// The fates of requests that the record contains besides the deliveries of receipts and the names of errors.
package enum Fate {
  /// The daemon ended before the result was known, and no client has repeated the request with its
  /// `request-id`.
  package static let cutOff = "cut-off"
}

/// The keys of the `a{sv}` dictionaries, each written once.
package enum Key {
  // Options of CanOpenURL, OpenURL, PerformQuickAction and Explain.
  package static let actAs = "as"
  package static let application = "application"
  package static let onDevice = "on"
  package static let ownApplication = "own-application"
  package static let confirmationAgent = "confirmation-agent"
  package static let newInstance = "new-instance"
  package static let instances = "instances"
  package static let activate = "activate"
  package static let universalLinksOnly = "universal-links-only"
  package static let legacy = "legacy"
  package static let arguments = "arguments"
  package static let environment = "environment"
  package static let activationToken = "activation-token"
  package static let annotation = "annotation"
  package static let cancellationID = "cancellation-id"
  package static let interactive = "interactive"
  package static let fromLink = "from-link"
  package static let anyCharacters = "any-characters"
  package static let requestID = "request-id"
  package static let validFor = "valid-for"
  package static let limit = "limit"
  package static let since = "since"
  package static let hidden = "hidden"
  package static let fresh = "fresh"
  package static let waitsForExit = "waits-for-exit"
  package static let standardInput = "stdin"
  package static let standardOutput = "stdout"
  package static let standardError = "stderr"

  // Receipt.
  package static let request = "request"
  package static let handler = "handler"
  package static let launch = "launch"
  package static let delivery = "delivery"
  package static let handled = "handled"
  package static let pid = "pid"
  package static let trail = "trail"
  package static let repeated = "repeated"
  /// Sent to the desktop bridge only.
  package static let hops = "hops"

  // Values of a request in the record that its receipt does not contain.
  package static let time = "time"
  package static let caller = "caller"
  package static let fate = "fate"
  package static let detail = "detail"

  // Devices.
  package static let transport = "transport"
  package static let paired = "paired"
  package static let reachable = "reachable"
  package static let start = "start"

  // Answer to IdentifyProcess.
  package static let identification = "identification"
  package static let descendsFromApplication = "descends-from-application"

  // Answer to WaitForExit.
  package static let how = "how"

  // Check-in and its reply.
  package static let token = "token"
  package static let bundleIdentifier = "bundle-identifier"
  package static let objectPath = "object-path"
  package static let running = "running"
  package static let remembersRequests = "remembers-requests"
  package static let scenes = "scenes"
  package static let state = "state"
  package static let launchOptions = "launch-options"
  package static let connectionOptions = "connection-options"
  package static let url = "url"
  package static let urlContexts = "url-contexts"
  package static let sourceApplication = "source-application"
  package static let openInPlace = "open-in-place"
  package static let launchImage = "launch-image"
  package static let shortcutItem = "shortcut-item"
  package static let shortcutItemDetails = "shortcut-item-details"
  package static let shortcutItems = "shortcut-items"
  package static let userActivityType = "user-activity-type"
  package static let userActivities = "user-activities"
  package static let userActivityTypes = "user-activity-types"
  package static let webpageURL = "webpage-url"
  package static let will = "will"
  package static let did = "did"

  // Quick actions.
  package static let type = "type"
  package static let title = "title"
  package static let subtitle = "subtitle"
  package static let icon = "icon"
  package static let userInfo = "user-info"

  // Confirmations.
  package static let id = "id"
  package static let opener = "opener"
  package static let scheme = "scheme"
  package static let allowed = "allowed"
  package static let remember = "remember"
  package static let mayBeRemembered = "may-be-remembered"
  package static let origin = "origin"
  package static let canOpenCode = "can-open-code"
  package static let handlerName = "handler-name"
  package static let question = "question"

  // Registry.
  package static let desktopBridge = "desktop-bridge"
  package static let define = "define"
  package static let name = "name"
  package static let path = "path"
  package static let after = "after"
  package static let bundle = "bundle"
  package static let missing = "missing"
  package static let urlTypes = "url-types"
  package static let activationPolicy = "activation-policy"

  // Remotes.
  package static let allowedSchemes = "allowed-schemes"
  package static let deniedSchemes = "denied-schemes"
  package static let connections = "connections"
  package static let forwardsCallbacks = "forwards-callbacks"
  package static let sent = "sent"
  package static let problem = "problem"
  package static let relayed = "relayed"

  // Universal links.
  package static let applicationIdentifier = "application-identifier"
  package static let entry = "entry"
  package static let domain = "domain"
  package static let user = "user"
  package static let site = "site"
  package static let counts = "counts"
  package static let source = "source"
  package static let file = "file"
  package static let tried = "tried"
  package static let result = "result"
}
