/// The attempts to open one URL on another machine, and what is known of the URL after each of them.
///
/// The URL has an identifier, so that the other machine delivers it once, however often it is asked.
package struct RelayAttempts: Hashable, Sendable {
  /// How a connection ended without a reply.
  package enum Failure: Hashable, Sendable {
    /// Before the call was written.
    case notSent(UnsentReason)
    /// After the first byte of the call was written.
    case cut(String)
    /// The other machine has taken the call and did not answer in time. Another attempt would wait as long.
    case silent(String)
  }

  package enum Step: Hashable, Sendable {
    /// The same call again, after this number of seconds.
    case again(afterSeconds: Int)
    /// The URL was not sent.
    case notSent(UnsentReason)
    /// The URL may have arrived.
    case unknown(String)
  }

  /// The pauses before the attempts after a cut, in seconds. With the time-outs of ssh, the last attempt ends within
  /// about two minutes.
  package static let pauses = [1, 3, 8, 20]

  /// The time in which the delivery on the other machine must begin, in milliseconds: the option `valid-for` of the call.
  /// The user there may be asked first.
  package static let validFor: UInt32 = 180_000
  /// The time for the answer to a call: the time until the delivery begins, and the time for a launch and a delivery there.
  /// - Parameter limit: the option `valid-for` of the call, in milliseconds.
  package static func answerTime(validFor limit: UInt32) -> Duration {
    .milliseconds(limit) + .seconds(60)
  }

  /// Whether a connection has taken the call.
  private(set) package var wasSent: Bool
  private var failures = 0

  /// - Parameter wasSent: whether an earlier daemon has sent the call.
  package init(wasSent: Bool = false) { self.wasSent = wasSent }

  package mutating func next(after failure: Failure) -> Step {
    let why: String
    switch failure {
    case .silent(let words):
      wasSent = true
      return .unknown(words)
    case .notSent(let reason) where !wasSent: return .notSent(reason)
    case .notSent(let reason): why = reason.words
    case .cut(let words): why = words
    }
    wasSent = true
    guard failures < Self.pauses.count else { return .unknown(why) }
    failures += 1
    return .again(afterSeconds: Self.pauses[failures - 1])
  }
}
