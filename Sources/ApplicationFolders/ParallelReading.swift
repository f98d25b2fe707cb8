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
  ///   - progress: gets how many are done, again and again.
  package static func read(
    _ orders: [PropertyListOrder], known: PropertyListTable, progress: (Int) -> Void = { _ in }
  ) async -> Result {
    let pieces = stride(from: 0, to: orders.count, by: pieceSize).map {
      orders[$0..<min($0 + pieceSize, orders.count)]
    }
    return await withTaskGroup(of: Result.self) { group in
      var all = Result()
      var rest = pieces[...]
      func addTask() {
        guard let piece = rest.popFirst() else { return }
        group.addTask { read(piece, known: known) }
      }
      for _ in 0..<max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) { addTask() }
      while let result = await group.next() {
        all.read += result.read
        all.current += result.current
        addTask()
        progress(all.read.count + all.current.count)
      }
      return all
    }
  }

  private static func read(
    _ orders: ArraySlice<PropertyListOrder>, known: PropertyListTable
  ) -> Result {
    var result = Result()
    for order in orders {
      if let record = known[order.path], order.isCurrent(record) {
        result.current.append(record)
      } else {
        result.read.append(order.read())
      }
    }
    return result
  }
}
