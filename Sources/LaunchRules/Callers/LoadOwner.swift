/// Who has a share of a limited resource: one caller, or a group of callers that have a common limit.
package enum LoadOwner: Hashable, Sendable {
  /// The application, with all its processes.
  case application(BundleIdentifier)
  /// The unit of the service manager, with all its processes.
  case unit(String)
  /// The process, and as a group also its descendants.
  /// - Parameter startTime: recognises a process number that is used again.
  case process(Int32, startTime: UInt64)
  /// All processes whose parents have ended.
  case orphans
  /// The remote, with all its connections.
  case remote(RemoteName)
}

extension LoadOwner: CustomStringConvertible {
  package var description: String {
    switch self {
    case .application(let identifier): identifier.text
    case .unit(let unit): unit
    case .process(let pid, let startTime): "process \(pid) \(startTime)"
    case .orphans: "orphans"
    case .remote(let name): name.callerName
    }
  }
}
