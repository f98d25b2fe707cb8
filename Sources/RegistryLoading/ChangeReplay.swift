/// Repeats changes of a value on its successor, which another thread makes from a copy.
///
/// A change is applied to the value at once, and to the successor before it replaces the value. Changes need
/// not wait for the successor, and none is lost: the final value is the successor with all changes applied in
/// order.
nonisolated struct ChangeReplay<Value> {
  /// The recorded changes; nil while no successor is being made.
  private var changes: [(inout Value) -> Void]?

  /// Starts to record changes, when the copy for a successor is made. Only one successor may be in progress.
  mutating func begin() {
    precondition(changes == nil, "changes are recorded for another successor already")
    changes = []
  }

  mutating func make(_ change: @escaping (inout Value) -> Void, to value: inout Value) {
    change(&value)
    changes?.append(change)
  }

  /// Applies the changes since `begin` to the finished successor.
  mutating func end(_ successor: inout Value) {
    for change in changes ?? [] { change(&successor) }
    changes = nil
  }
}
