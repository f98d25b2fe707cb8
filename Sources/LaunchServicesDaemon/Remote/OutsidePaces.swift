internal import Host
internal import LaunchRules

/// How many calls each remote, and all outsiders together, may still make. A process gains nothing by another name: outsiders
/// have no names that others could not have, too.
final class OutsidePaces {
  enum Call: CaseIterable {
    /// An open, or a question for the fate of one.
    case open
    /// Any other call, such as a query or a ping.
    case other
  }

  private struct Key: Hashable {
    /// Nil for outsiders.
    let remote: RemoteName?
    let call: Call
  }

  private let opensPerMinute: Int
  private var paces: [Key: OpenPace] = [:]

  /// Maximum number of calls within a minute besides opens. A client that waits sends a ping every 15 s.
  static let mostOthers = 600

  /// - Parameter opensPerMinute: maximum number of opens of one remote within a minute.
  init(opensPerMinute: Int) { self.opensPerMinute = opensPerMinute }

  /// Counts a call. Calls of other callers have no limit here.
  /// - Throws: LimitExceeded, when the caller has made too many calls within a minute.
  func count(_ call: Call, of caller: Caller) throws(OpenFailure) {
    let name: RemoteName?
    switch caller {
    case .remote(let remote): name = remote
    case .outsider(let outsider) where outsider.hasRightsOfRemote: name = nil
    case .application, .orphan, .unidentified, .outsider: return
    }
    let most = call == .open ? opensPerMinute : Self.mostOthers
    let key = Key(remote: name, call: call)
    var pace = paces[key] ?? OpenPace(perMinute: most)
    let wait = pace.use(at: Time.monotonicMicroseconds())
    paces[key] = pace
    guard let wait else { return }
    let who = name.map { "\($0) has" } ?? "containers and forwarded connections together have"
    let what =
      call == .open
      ? "requested \(most) opens within a minute, which is the limit MaximumRemoteOpens of the settings"
      : "made \(most) calls within a minute, which is the limit"
    throw .limitExceeded(
      "\(who) \(what): try again in \((wait + 999_999) / 1_000_000) s"
        + (name == nil ? "; \(Outsider.advice)" : ""))
  }

  /// Forgets the calls of a remote that the user has removed.
  func forget(_ remote: RemoteName) {
    for call in Call.allCases { paces[Key(remote: remote, call: call)] = nil }
  }
}
