/// The changes of a value while a successor is made of a copy elsewhere. They are made at once, and once more to
/// the successor before it takes the place of the value: nobody waits, and nothing is lost.
///
/// The outcome is that of the successor first and then the changes, in their order.
package struct ChangesMeanwhile<Value> {
  /// Nil while no successor is made.
  private var changes: [(inout Value) -> Void]?

  package init() {}

  /// A successor is made of what the value is now. There is one at a time.
  package mutating func begin() {
    precondition(changes == nil, "a successor is made already")
    changes = []
  }

  package mutating func make(_ change: @escaping (inout Value) -> Void, to value: inout Value) {
    change(&value)
    changes?.append(change)
  }

  /// The successor is made, and gets what changed since `begin`.
  package mutating func end(_ successor: inout Value) {
    for change in changes ?? [] { change(&successor) }
    changes = nil
  }
}
