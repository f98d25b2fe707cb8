/// Which caller may make which call of the contract. One table: a row for each kind of call, with the reasons for which
/// it is refused.
package enum AccessRule {
  /// The kinds of calls. A call belongs to one.
  package enum CallKind: Hashable, Sendable, CaseIterable {
    /// Asks what the caller declared that it may ask, and what became of its own opens; the standard interfaces.
    case question
    /// Explains an open of documents.
    case documentQuestion
    /// Opens a URL or an application.
    case open
    case openDocuments
    /// Goes on with something that the caller began: cancels an open, or answers a launch.
    case continuation
    case checkIn
    /// Reads or changes which applications and handlers there are.
    case registry
    /// The same, about a file.
    case fileRegistry
    case desktopExport
    /// Reads or changes what the user has answered.
    case approvals
    /// Offers to ask the user.
    case confirmationAgent
    /// Is told of each open of all applications.
    case monitor
    /// Is told which applications start and end.
    case applicationMonitor
  }

  /// What is known of the caller and its connection.
  package struct Caller: Hashable, Sendable {
    package var identity: LaunchRules.Caller
    /// The caller is, or may be, an iOS application.
    package var sandboxed: SandboxedCaller?
    /// The application comes with the system.
    package var isSystem = false
    package var isFromBrowser = false
    /// The caller is in a sandbox with files of its own.
    package var hasOtherFiles = false
    package var isDirect = false

    package init(_ identity: LaunchRules.Caller) { self.identity = identity }
  }

  /// Why a call is refused.
  package enum Refusal: Error, Hashable, Sendable {
    /// The daemon, or the connection, cannot do it for any caller.
    case notSupported(String)
    /// An open is not permitted.
    case openNotPermitted(String)
    case notPermitted(String)
  }

  private enum Condition {
    case daemonHasNoBus, connectionIsDirect, callerIsSandboxed, callerHasOtherFiles,
      callerIsApplication,
      callerActsForAnother
  }

  /// Whether the caller may choose the arguments, the environment and the streams of the process that its open
  /// starts (R6.8).
  /// - Parameter caller: nil when the caller is no iOS application.
  package static func mayShapeLaunch(_ caller: SandboxedCaller?) -> Bool { caller == nil }

  /// Whether the caller is told which application an open was for, and how it came there. Apple's opener learns whether
  /// the URL was opened, and nothing else (R4.2).
  /// - Parameter caller: nil when the caller is no iOS application.
  package static func mayKnowHandler(_ caller: SandboxedCaller?) -> Bool { caller == nil }

  /// Whether a process may ask the user in place of the desktop: a notification that it shows gives the user's
  /// answers.
  package static func mayAnswerForUser(_ caller: LaunchRules.Caller, isFromBrowser: Bool) -> Bool {
    caller == .unidentified && !isFromBrowser
  }

  /// The table. The first condition that holds is the reason.
  private static func refused(_ kind: CallKind) -> [Condition] {
    switch kind {
    case .question, .continuation: []
    case .documentQuestion: [.callerHasOtherFiles]
    case .open: [.daemonHasNoBus]
    case .openDocuments: [.daemonHasNoBus, .callerHasOtherFiles]
    case .checkIn: [.daemonHasNoBus, .connectionIsDirect]
    case .registry: [.callerIsSandboxed]
    case .fileRegistry: [.callerIsSandboxed, .callerHasOtherFiles]
    case .desktopExport: [.daemonHasNoBus, .callerIsSandboxed]
    case .approvals: [.callerActsForAnother]
    case .confirmationAgent: [.daemonHasNoBus, .connectionIsDirect, .callerActsForAnother]
    case .monitor: [.daemonHasNoBus, .connectionIsDirect, .callerIsApplication]
    case .applicationMonitor: [.daemonHasNoBus, .connectionIsDirect, .callerIsSandboxed]
    }
  }

  /// - Throws: the reason for which the call is refused.
  package static func check(
    _ kind: CallKind, by caller: Caller, daemonHasBus: Bool
  ) throws(Refusal) {
    for condition in refused(kind) {
      if let refusal = refusal(condition, caller, daemonHasBus) { throw refusal }
    }
  }

  /// Why nothing is opened by a daemon without a bus.
  package static let hasNoBus =
    "launchservicesd was started with --direct-only and has no session bus, over which applications"
    + " are reached: end it, and start launchservicesd on a session bus, as dbus-run-session makes one"

  private static func refusal(
    _ condition: Condition, _ caller: Caller, _ daemonHasBus: Bool
  ) -> Refusal? {
    switch condition {
    case .daemonHasNoBus: return daemonHasBus ? nil : .notSupported(hasNoBus)
    case .connectionIsDirect:
      return caller.isDirect
        ? .notSupported(
          "this call is for connections of the session bus, and this one is direct") : nil
    case .callerIsSandboxed:
      return caller.sandboxed.map {
        .notPermitted("\($0), and the registry is for the user's own tools")
      }
    case .callerHasOtherFiles:
      return caller.hasOtherFiles
        ? .openNotPermitted(
          "the caller is in a sandbox, which has files of its own; use org.freedesktop.portal.OpenURI"
        )
        : nil
    case .callerIsApplication:
      guard case .application(let identifier, _) = caller.identity else { return nil }
      return .openNotPermitted(
        "\(identifier) is an application, and what others open is not its business")
    case .callerActsForAnother: return actsForAnother(caller).map(Refusal.notPermitted)
    }
  }

  /// The answers of the user are the user's alone.
  private static func actsForAnother(_ caller: Caller) -> String? {
    switch caller.identity {
    case .application(let own, _) where !caller.isSystem:
      "\(own) is an application, and the user's answers are not its to give"
    case .orphan:
      "the caller descends from an application, and the user's answers are not its to give"
    case .application, .unidentified:
      caller.isFromBrowser
        ? "the caller was started by a browser, and the user's answers are not a page's to give"
        : nil
    }
  }
}
