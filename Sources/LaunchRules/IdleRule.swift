/// Whether a daemon has come to rest after it has worked: nothing was done for a whole pause. While it rests, no
/// further pause is waited for.
package struct IdleRule: Sendable {
  private var isWaiting = false
  private var hasWorked = false

  package init() {}

  /// Something was done.
  /// - Returns: true when a pause is to be waited for, and then `paused` to be asked.
  package mutating func worked() -> Bool {
    hasWorked = isWaiting
    isWaiting = true
    return !hasWorked
  }

  /// A pause is over.
  /// - Returns: true when it has come to rest, false when another pause is to be waited for.
  package mutating func paused() -> Bool {
    defer { hasWorked = false }
    isWaiting = hasWorked
    return !hasWorked
  }
}
