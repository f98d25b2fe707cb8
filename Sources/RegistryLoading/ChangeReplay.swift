/// Repeats changes of a value on its successor, which is made of a copy on another thread.
///
/// A change is made to the value at once, and again to the successor before it replaces the value. So nobody
/// waits for the successor, and no change is lost: the outcome is that of the successor first and then the
/// changes, in their order.
nonisolated struct ChangeReplay<Value> {
  /// Nil while no successor is made.
  private var changes: [(inout Value) -> Void]?

  /// A successor is made of the value as it is now. There is one at a time.
  mutating func begin() {
    precondition(changes == nil, "a successor is being made already")
    changes = []
  }

  mutating func make(_ change: @escaping (inout Value) -> Void, to value: inout Value) {
    change(&value)
    changes?.append(change)
  }

  /// Repeats the changes since `begin` on the finished successor.
  mutating func end(_ successor: inout Value) {
    for change in changes ?? [] { change(&successor) }
    changes = nil
  }
}
