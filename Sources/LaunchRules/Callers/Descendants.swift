/// Which application a process is that descends from the daemon, when those between have ended.
///
/// The daemon is the parent of whatever the processes that it started leave behind
/// (`PR_SET_CHILD_SUBREAPER`), and has to tell it from its own user's programs.
package enum Descendants: Hashable, Sendable {
  /// No application was started as a process of this daemon yet.
  case ofNobody
  /// Only this one was, however often.
  case of(BundleIdentifier, isSandboxed: Bool)
  /// - Parameter isSandboxed: one of them is an iOS application.
  case ofSeveral(isSandboxed: Bool)

  package mutating func started(_ application: BundleIdentifier, isSandboxed: Bool) {
    switch self {
    case .ofNobody: self = .of(application, isSandboxed: isSandboxed)
    case .of(application, _): break
    case .of(_, let wasSandboxed), .ofSeveral(let wasSandboxed):
      self = .ofSeveral(isSandboxed: wasSandboxed || isSandboxed)
    }
  }

  package var caller: Caller {
    switch self {
    case .ofNobody: .unidentified
    case .of(let application, _): .application(application, .processTree)
    case .ofSeveral(let isSandboxed): .orphan(isSandboxed: isSandboxed)
    }
  }
}
