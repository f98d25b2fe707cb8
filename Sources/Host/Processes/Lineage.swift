internal import Glibc

/// Reads the ancestors of a process, some of which may end during the reading.
///
/// When a parent ends, the kernel assigns another one. A parent is therefore checked again after it was read;
/// if it has changed, everything is read again.
package enum Lineage {
  /// The reason why the ancestors cannot be determined. Distinct from having no ancestors.
  package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case gone
    case changing
    case tooLong
    /// The kernel hides a process of this user.
    case hidden(Int32)

    package var description: String {
      switch self {
      case .gone: "its process has ended"
      case .changing:
        "the processes above it ended while they were read, \(Lineage.attempts) times in a row"
      case .tooLong: "more than \(Lineage.longest) processes are above it"
      case .hidden(let pid): "process \(pid) above it is hidden; see hidepid in proc(5)"
      }
    }
  }

  /// Maximum number of ancestors. Reading takes time per ancestor, during which other callers wait.
  package static let longest = 256
  static let attempts = 8

  /// The kernel queries, replaceable for tests.
  struct Kernel {
    var details: (Int32) -> ProcessDetails? = { ProcessDetails(of: $0, readingGroup: false) }
    /// Returns the current parent of a process; nil when the process with this start time has ended.
    var parent: (ProcessDetails) -> Int32? = { ProcessDetails.parent(of: $0) }
    var isOurs: (Int32) -> Bool = { kill($0, 0) == 0 }
  }

  /// The process in its current state and its ancestors, nearest first.
  static func read(
    of process: ProcessDetails, _ kernel: Kernel = Kernel()
  ) throws(Problem) -> [ProcessDetails] {
    for _ in 0..<attempts {
      guard let parent = kernel.parent(process) else { throw .gone }
      if let lineage = try attempt(process.withParent(parent), kernel) { return lineage }
    }
    throw .changing
  }

  /// Nil when a parent changed during the reading.
  private static func attempt(
    _ process: ProcessDetails, _ kernel: Kernel
  ) throws(Problem) -> [ProcessDetails]? {
    var lineage = [process]
    while let child = lineage.last, child.parent > 0 {
      guard lineage.count <= longest else { throw .tooLong }
      let parent = kernel.details(child.parent)
      guard kernel.parent(child) == child.parent else { return nil }
      guard let parent else {
        // The process exists but is hidden. The ancestors of other users' processes do not matter.
        if kernel.isOurs(child.parent) { throw .hidden(child.parent) }
        return lineage
      }
      lineage.append(parent)
    }
    return lineage
  }
}

extension ProcessDetails {
  /// The process in its current state and its ancestors, nearest first.
  package func lineage() throws(Lineage.Problem) -> [ProcessDetails] {
    try Lineage.read(of: self)
  }
}
