/// The applications that an orphaned descendant of the daemon may belong to.
///
/// The daemon adopts the orphans of the processes that it started (`PR_SET_CHILD_SUBREAPER`), and has to
/// distinguish them from the user's programs.
package enum Descendants: Hashable, Sendable {
  /// The daemon has not started any application as a child process.
  case ofNobody
  /// The daemon has started only this application, one or more times.
  case of(BundleIdentifier, isSandboxed: Bool)
  /// - Parameter isSandboxed: whether one of the applications is an iOS application.
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
