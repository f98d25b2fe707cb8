/// Decides which caller may make which call of the contract, with one table: each kind of call has a row with
/// the conditions under which it is refused.
package enum AccessRule {
  /// The kinds of calls. Each call has one kind.
  package enum CallKind: Hashable, Sendable, CaseIterable {
    /// Queries that the declarations of the caller permit, and the standard interfaces.
    case question
    case explanation
    /// Explains an open of documents.
    case documentQuestion
    /// Opens a URL or an application.
    case open
    case openDocuments
    /// Cancels an open of the caller, or requests its result.
    case ownRequest
    /// Continues the launch of a handler.
    case continuation
    case checkIn
    /// Reads or changes applications and handlers.
    case registry
    /// Reads or changes the handler of a file.
    case fileRegistry
    case desktopExport
    /// Changes the guard of the user's default applications.
    case defaultsGuard
    /// Reads or changes the remembered answers of the user.
    case approvals
    /// Reads or changes the remotes and their rights.
    case remotes
    /// Registers an agent that asks the user.
    case confirmationAgent
    /// Reads the results of opens; see `readableRequests`.
    case history
    /// Subscribes to the opens of all applications.
    case monitor
    /// Subscribes to starts and ends of applications.
    case applicationMonitor
    /// Reads the current activities of all applications.
    case activities
  }

  /// The facts about the caller and its connection.
  package struct Caller: Hashable, Sendable {
    package var identity: LaunchRules.Caller
    /// Set if the caller is, or may be, an iOS application.
    package var sandboxed: SandboxedCaller?
    /// Whether the application is a system application.
    package var isSystem = false
    package var isFromBrowser = false
    /// Whether the caller is in a sandbox with a different file system.
    package var hasOtherFiles = false
    package var isDirect = false

    package init(_ identity: LaunchRules.Caller) { self.identity = identity }
  }

  /// The reason why a call is refused.
  package enum Refusal: Error, Hashable, Sendable {
    /// The daemon, or the connection, does not support the call for any caller.
    case notSupported(String)
    /// An open is not permitted.
    case openNotPermitted(String)
    case notPermitted(String)
  }

  private enum Condition {
    /// Files of a remote are not those of this machine.
    case callerIsRemoteWithFiles
    case callerIsRemote, callerIsOutsider, daemonHasNoBus, connectionIsDirect
    /// The daemon has a bus, and the caller does not use it.
    case connectionAvoidsBus
    case callerIsSandboxed, callerHasOtherFiles,
      callerIsApplication,
      callerIsOrphan
    /// The action that only the user may perform.
    case callerActsForAnother(String)
  }

  private static let answering = Condition.callerActsForAnother("answer confirmations")
  private static let giving = Condition.callerActsForAnother("give rights to remotes")
  private static let readingActivities = Condition.callerActsForAnother(
    "read the activities of other applications")
  private static let guarding = Condition.callerActsForAnother("change the guard of defaults")

  /// Whether a notification that the process shows may give the user's answers.
  package static func mayAnswerForUser(_ caller: LaunchRules.Caller, isFromBrowser: Bool) -> Bool {
    caller == .unidentified && !isFromBrowser
  }

  /// The table. The first condition that is true is the reason of the refusal.
  private static func refused(_ kind: CallKind) -> [Condition] {
    switch kind {
    case .question, .ownRequest: []
    case .explanation, .continuation: [.callerIsRemote]
    case .documentQuestion: [.callerIsRemoteWithFiles, .callerHasOtherFiles]
    case .open: []
    case .openDocuments: [.callerIsRemoteWithFiles, .callerHasOtherFiles]
    case .checkIn: [.callerIsRemote, .connectionAvoidsBus]
    case .registry: [.callerIsRemote, .callerIsOutsider, .callerIsSandboxed]
    case .fileRegistry:
      [.callerIsRemote, .callerIsOutsider, .callerIsSandboxed, .callerHasOtherFiles]
    case .desktopExport:
      [.callerIsRemote, .callerIsOutsider, .daemonHasNoBus, .callerIsSandboxed]
    case .defaultsGuard:
      [.callerIsRemote, .callerIsOutsider, .daemonHasNoBus, .callerIsSandboxed, guarding]
    case .approvals: [.callerIsRemote, .callerIsOutsider, answering]
    case .remotes: [.callerIsRemote, .callerIsOutsider, giving]
    case .activities: [.callerIsRemote, .callerIsOutsider, readingActivities]
    case .confirmationAgent:
      [.callerIsRemote, .callerIsOutsider, .connectionAvoidsBus, answering]
    case .history: [.callerIsRemote, .callerIsOutsider, .callerIsOrphan]
    case .monitor:
      [
        .callerIsRemote, .callerIsOutsider, .daemonHasNoBus, .connectionIsDirect,
        .callerIsApplication, .callerIsOrphan,
      ]
    case .applicationMonitor:
      [
        .callerIsRemote, .callerIsOutsider, .daemonHasNoBus, .connectionIsDirect,
        .callerIsSandboxed,
      ]
    }
  }

  /// - Throws: the reason of the refusal.
  package static func check(
    _ kind: CallKind, by caller: Caller, daemonHasBus: Bool
  ) throws(Refusal) {
    for condition in refused(kind) {
      if let refusal = refusal(condition, caller, daemonHasBus) { throw refusal }
    }
  }

  /// The reason why a daemon without a bus cannot do what desktops offer over a bus.
  package static let hasNoBus =
    "launchservicesd was started with --direct-only and has no session bus, which this call requires:"
    + " stop launchservicesd and start launchservicesd on a session bus, for example with"
    + " dbus-run-session"

  private static func refusal(
    _ condition: Condition, _ caller: Caller, _ daemonHasBus: Bool
  ) -> Refusal? {
    switch condition {
    case .callerIsRemote:
      guard case .remote(let name) = caller.identity else { return nil }
      return .openNotPermitted(
        "the caller is \(name), and remotes may only open URLs; where launchservicesd runs, 'lsopen --as \(name) --explain"
          + " URL' and 'lsopen --history' say more")
    case .callerIsRemoteWithFiles:
      guard case .remote = caller.identity else { return nil }
      return RemoteRights.objection(toAllowing: URLScheme(known: "file")).map(
        Refusal.openNotPermitted)
    case .callerIsOutsider:
      guard case .outsider(let outsider) = caller.identity else { return nil }
      return .notPermitted(
        "\(outsider), and only programs of the user's session may do this; \(Outsider.advice)")
    case .daemonHasNoBus: return daemonHasBus ? nil : .notSupported(hasNoBus)
    case .connectionIsDirect, .connectionAvoidsBus:
      if case .connectionAvoidsBus = condition, !daemonHasBus { return nil }
      return caller.isDirect
        ? .notSupported(
          "this call requires a connection to the session bus, and the caller uses a direct"
            + " connection") : nil
    case .callerIsSandboxed:
      return caller.sandboxed.map {
        .notPermitted("\($0), and only the user's own tools may use the registry")
      }
    case .callerHasOtherFiles:
      guard caller.hasOtherFiles else { return nil }
      if case .outsider(let outsider) = caller.identity {
        return .openNotPermitted(
          "\(outsider), and its files may not be those of this machine: only URLs can be opened, and files with"
            + " org.freedesktop.portal.OpenURI; \(Outsider.advice)")
      }
      return .openNotPermitted(
        "the caller runs in a sandbox with a different file system; open files with"
          + " org.freedesktop.portal.OpenURI")
    case .callerIsApplication:
      guard case .application(let identifier, _) = caller.identity else { return nil }
      return .openNotPermitted(
        "\(identifier) is an application, and only the user's own tools may monitor the opens of"
          + " other programs")
    case .callerIsOrphan:
      guard case .orphan = caller.identity else { return nil }
      return .openNotPermitted(
        "the caller descends from an application that cannot be determined, and applications may not"
          + " read the opens of other programs")
    case .callerActsForAnother(let action):
      return actsForAnother(caller, action).map(Refusal.notPermitted)
    }
  }

  /// Refuses callers that may act for another program.
  private static func actsForAnother(_ caller: Caller, _ action: String) -> String? {
    switch caller.identity {
    case .application(let own, _) where !caller.isSystem:
      "\(own) is an application, and applications may not \(action) for the user"
    case .orphan:
      "the caller descends from an application, and applications may not \(action) for the user"
    case .remote, .outsider: "the caller is not a program of the user's session"
    case .application, .unidentified:
      caller.isFromBrowser
        ? "the caller was started by a browser, and web pages may not \(action) for the user"
        : nil
    }
  }
}
