internal import Glibc

/// The processes that one descends from, read while some of them may end.
///
/// A process whose parent ends gets another one. So each parent counts only when it is still the parent
/// after it was read; else all is read again.
package enum Lineage {
  /// Why it cannot be told from what a process descends. Never the same as that it descends from nobody.
  package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    case gone
    case changing
    case tooLong
    /// A process of this user that the kernel does not show.
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

  /// How many processes above one are read: each takes time, and whoever nests them makes others wait.
  package static let longest = 256
  static let attempts = 8

  /// What reading needs of the kernel.
  struct Kernel {
    var details: (Int32) -> ProcessDetails? = { ProcessDetails(of: $0, readingGroup: false) }
    /// The parent that a process has now; nil when it is not the one that started then.
    var parent: (ProcessDetails) -> Int32? = { ProcessDetails.parent(of: $0) }
    var isOurs: (Int32) -> Bool = { kill($0, 0) == 0 }
  }

  /// The process, as it is now, and those above it, nearest first.
  static func read(
    of process: ProcessDetails, _ kernel: Kernel = Kernel()
  ) throws(Problem) -> [ProcessDetails] {
    for _ in 0..<attempts {
      guard let parent = kernel.parent(process) else { throw .gone }
      if let lineage = try attempt(process.withParent(parent), kernel) { return lineage }
    }
    throw .changing
  }

  /// Nil when something changed meanwhile.
  private static func attempt(
    _ process: ProcessDetails, _ kernel: Kernel
  ) throws(Problem) -> [ProcessDetails]? {
    var lineage = [process]
    while let child = lineage.last, child.parent > 0 {
      guard lineage.count <= longest else { throw .tooLong }
      let parent = kernel.details(child.parent)
      guard kernel.parent(child) == child.parent else { return nil }
      guard let parent else {
        // It is there, and not shown. What is above another user's process is none of ours.
        if kernel.isOurs(child.parent) { throw .hidden(child.parent) }
        return lineage
      }
      lineage.append(parent)
    }
    return lineage
  }
}

extension ProcessDetails {
  /// The process, as it is now, and those above it, nearest first.
  package func lineage() throws(Lineage.Problem) -> [ProcessDetails] {
    try Lineage.read(of: self)
  }
}
