internal import Host
internal import LaunchRules

/// Refuses URLs that a desktop application hands back to Launch Services, such as a script around `lsopen`: the
/// desktop bridge would give the URL to that application again and again.
final class RedirectLoopGuard {
  /// What is known of the process that opens.
  struct Evidence {
    /// The desktop bridge started the process for this very URL.
    var wasBridged: Bool
    var hops: BridgeHops?
    /// See `BridgeRounds.mayGoRound`.
    var mayGoRound: Bool
  }

  private var rounds = BridgeRounds()
  /// Called with the URL and the reason when a URL is refused for the first time because it comes back again and
  /// again. The opener is a program then, whose user would not see the error.
  var onLoop: ((String, String) -> Void)?

  /// Why the desktop bridge must not get the URL; nil when it may.
  /// - Parameter isCounted: false when nothing is opened.
  func failure(
    _ url: String, _ scheme: URLScheme, _ evidence: Evidence, isCounted: Bool
  ) -> OpenFailure? {
    let advice = "choose another with: gio mime x-scheme-handler/\(scheme) ID"
    if evidence.wasBridged || BridgeHops.next(scheme, after: evidence.hops) > BridgeHops.most {
      return .applicationNotFound(
        "the desktop application for the scheme \(scheme) hands the URL back; \(advice)")
    }
    guard evidence.mayGoRound, rounds.isOver(url, at: Time.monotonicMicroseconds()) else {
      return nil
    }
    let reason =
      "it comes back again and again, as if the desktop application for the scheme \(scheme) handed"
      + " it back; see the guide Universal links, or \(advice)"
    if isCounted, rounds.tell(url) { onLoop?(url, reason) }
    return .applicationNotFound(reason)
  }

  /// An application is given the open.
  func handedOver(_ open: PendingOpen) {
    guard open.mayGoRound, open.application.declaration.isDesktopBridge else { return }
    for url in open.payload.urls { rounds.add(url, at: Time.monotonicMicroseconds()) }
  }
}
