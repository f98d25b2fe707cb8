internal import Glibc
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
    await inPieces(orders) {
      compare($0, with: known)
    } take: { piece in
      result.current += piece.current
      due += piece.due
    }
    await inPieces(due) {
      $0.map { $0.read() }
    } take: { piece in
      result.read += piece
      progress(result.read.count, due.count)
    }
    return result
  }

  private static func compare(
    _ orders: ArraySlice<PropertyListOrder>, with known: PropertyListTable
  ) -> (current: [ApplicationRecord], due: [PropertyListOrder]) {
    var (current, due): ([ApplicationRecord], [PropertyListOrder]) = ([], [])
    for order in orders {
      if let record = known[order.path], order.isCurrent(record) {
        current.append(record)
      } else {
        due.append(order)
      }
    }
    return (current, due)
  }

  /// Runs `work` on all processors, and passes each result to `take` when it is available.
  private static func inPieces<Piece: Sendable>(
    _ orders: [PropertyListOrder],
    _ work: @escaping @Sendable (ArraySlice<PropertyListOrder>) -> Piece, take: (Piece) -> Void
  ) async {
    var rest = stride(from: 0, to: orders.count, by: pieceSize).map {
      orders[$0..<min($0 + pieceSize, orders.count)]
    }[...]
    await withTaskGroup(of: Piece.self) { group in
      func addTask() {
        guard let piece = rest.popFirst() else { return }
        group.addTask { work(piece) }
      }
      for _ in 0..<max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) { addTask() }
      while let piece = await group.next() {
        addTask()
        take(piece)
      }
    }
  }
}
