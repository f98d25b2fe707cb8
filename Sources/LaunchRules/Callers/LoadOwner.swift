/// Who has a share of a limited resource: one caller, or a group of callers that have a common limit.
package enum LoadOwner: Hashable, Sendable {
  /// The application, with all its processes.
  case application(BundleIdentifier)
  /// The unit of the service manager, with all its processes.
  case unit(String)
  /// The process, and as a group also its descendants.
  /// - Parameter startTime: recognises a process number that is used again.
  case process(Int32, startTime: UInt64)
  /// The processes of the unit that descend from this process.
  case branch(ofUnit: String, Int32, startTime: UInt64)
  /// All processes of the user that have parents, where a process of the user is the outermost of them.
  case user
  /// The processes whose parents have ended. They form one group beside all others, so that a process gains nothing by
  /// leaving its parent.
  case orphans
  /// The remote, with all its connections.
  case remote(RemoteName)
}

extension LoadOwner {
  /// The key in the record of requests, below the keys of the groups around it. Has no line break.
  package var recordKey: String {
    switch self {
    case .process(let pid, let startTime), .branch(_, let pid, let startTime):
      "\(pid).\(startTime)"
    case .application, .unit, .user, .orphans, .remote: description
    }
  }
}

extension LoadOwner: CustomStringConvertible {
  package var description: String {
    switch self {
    case .application(let identifier): identifier.text
    case .unit(let unit): unit
    case .process(let pid, let startTime): "process \(pid) \(startTime)"
    case .branch(let unit, let pid, let startTime): "process \(pid) \(startTime) of \(unit)"
    case .user: "user"
    case .orphans: "orphans"
    case .remote(let name): name.callerName
    }
  }
}
