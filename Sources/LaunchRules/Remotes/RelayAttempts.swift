/// The attempts to open one URL on another machine, and what is known of the URL after each of them.
///
/// The URL has an identifier, so that the other machine delivers it once, however often it is asked.
package struct RelayAttempts: Hashable, Sendable {
  /// How a connection ended without a reply.
  package enum Failure: Hashable, Sendable {
    /// Before the call was written; the text says why.
    case notSent(String)
    /// After the first byte of the call was written.
    case cut(String)
  }

  package enum Step: Hashable, Sendable {
    /// The same call again, after this number of seconds.
    case again(afterSeconds: Int)
    /// The URL was not sent.
    case notSent(String)
    /// The URL may have arrived.
    case unknown(String)
  }

  /// The pauses before the attempts after a cut, in seconds. With the time-outs of ssh, the last attempt ends within
  /// about two minutes.
  package static let pauses = [1, 3, 8, 20]

  /// Whether a connection has taken the call.
  private(set) package var wasSent: Bool
  private var failures = 0

  /// - Parameter wasSent: whether an earlier daemon has sent the call.
  package init(wasSent: Bool = false) { self.wasSent = wasSent }

  package mutating func next(after failure: Failure) -> Step {
    switch failure {
    case .notSent(let why) where !wasSent: return .notSent(why)
    case .notSent(let why), .cut(let why):
      wasSent = true
      guard failures < Self.pauses.count else { return .unknown(why) }
      failures += 1
      return .again(afterSeconds: Self.pauses[failures - 1])
    }
  }
}
