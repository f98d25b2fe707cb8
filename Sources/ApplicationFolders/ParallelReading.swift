internal import Glibc
internal import Host
package import LaunchRules

/// Reads many property lists on all processors, never on the caller's thread. Limits the number of files in
/// memory; the kept records are small.
package enum ParallelReading {
  /// The current contents of the files.
  package struct Result: Sendable {
    /// The records of files that were read.
    package var read: [ApplicationRecord] = []
    /// Known records that are unchanged.
    package var current: [ApplicationRecord] = []
    /// Files whose file system does not answer. Their known records, if any, are in `current`.
    package var unanswered: [String] = []
  }

  private static let pieceSize = 256

  /// - Parameters:
  ///   - known: earlier records; files with an unchanged record are not read again.
  ///   - progress: called repeatedly with the number of files that are read and of all files to read.
  package static func read(
    _ orders: [PropertyListOrder], known: PropertyListTable,
    progress: (_ read: Int, _ due: Int) -> Void = { _, _ in }
  ) async -> Result {
    var result = Result()
    var due: [PropertyListOrder] = []
    func passOver(_ order: PropertyListOrder) {
      result.unanswered.append(order.path)
      if let record = known[order.path] { result.current.append(record) }
    }
    await inPieces(orders) { order in
      known[order.path].flatMap { order.isCurrent($0) ? $0 : nil }
    } take: { piece in
      for (order, answer) in piece {
        switch answer {
        case .some(.some(let record)): result.current.append(record)
        case .some(.none): due.append(order)
        case .none: passOver(order)
        }
      }
    }
    await inPieces(due) {
      $0.read()
    } take: { piece in
      for (order, answer) in piece {
        if let answer { result.read.append(answer) } else { passOver(order) }
      }
      progress(result.read.count, due.count)
    }
    return result
  }

  private typealias Piece<Answer> = [(order: PropertyListOrder, answer: Answer?)]

  /// Runs `ask` on all processors, and passes the results to `take` in pieces; nil for a file that does not answer.
  private static func inPieces<Answer: Sendable>(
    _ orders: [PropertyListOrder], _ ask: @escaping @Sendable (PropertyListOrder) -> Answer,
    take: (Piece<Answer>) -> Void
  ) async {
    var rest = stride(from: 0, to: orders.count, by: pieceSize).map {
      orders[$0..<min($0 + pieceSize, orders.count)]
    }[...]
    await withTaskGroup(of: Piece<Answer>.self) { group in
      func addTask() {
        guard let piece = rest.popFirst() else { return }
        group.addTask {
          let answers = await FileSequence.answers(about: piece, path: { $0.path }, ask)
          return Array(zip(piece, answers))
        }
      }
      for _ in 0..<max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) { addTask() }
      while let piece = await group.next() {
        addTask()
        take(piece)
      }
    }
  }
}
