/// One step of a request, such as `accepted` or `delivering`.
package struct RequestStep: Hashable, Sendable {
  package var state: String
  /// Monotonic time in microseconds.
  package var microseconds: UInt64

  package init(_ state: String, at microseconds: UInt64) {
    self.state = state
    self.microseconds = microseconds
  }
}
