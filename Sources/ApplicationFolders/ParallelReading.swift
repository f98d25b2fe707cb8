internal import Glibc
package import LaunchRules

/// Reads very many property lists, on all processors and never on the caller's thread. Only so many are in
/// memory at a time; what is kept of each is small.
package enum ParallelReading {
  /// What the files say now.
  package struct Result: Sendable {
    /// Of the files that were read.
    package var read: [ApplicationRecord] = []
    /// Known ones that are still current.
    package var current: [ApplicationRecord] = []
  }

  private static let pieceSize = 256

  /// - Parameters:
  ///   - known: what was read before; what is still current is not read again.
  ///   - progress: gets how many have been read, and how many are to be, again and again.
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

  /// Works on all processors, and takes what comes of each piece when it is there.
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
