/// Detects when a daemon becomes idle after work: a whole pause without work. An idle daemon needs no further
/// pauses.
package struct IdleRule: Sendable {
  private var isWaiting = false
  private var hasWorked = false

  package init() {}

  /// Records work.
  /// - Returns: true when a pause must be awaited, after which `paused` is called.
  package mutating func worked() -> Bool {
    hasWorked = isWaiting
    isWaiting = true
    return !hasWorked
  }

  /// Records the end of a pause.
  /// - Returns: true when the daemon is idle, false when another pause must be awaited.
  package mutating func paused() -> Bool {
    defer { hasWorked = false }
    isWaiting = hasWorked
    return !hasWorked
  }
}
