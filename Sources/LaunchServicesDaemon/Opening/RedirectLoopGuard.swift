internal import Host
internal import LaunchRules

/// Refuses URLs that a desktop application, such as a script that runs `lsopen`, opens with Launch Services
/// again. Otherwise the desktop bridge would pass such a URL to that application in an endless loop.
final class RedirectLoopGuard {
  /// The facts about the opening process.
  struct Evidence {
    /// The desktop bridge started the process for the same URL.
    var wasBridged: Bool
    var hops: BridgeHops?
    /// See `BridgeRounds.mayGoRound`.
    var mayGoRound: Bool
  }

  private var rounds = BridgeRounds()
  /// Called with the URL and the reason when a URL is refused for the first time because of repeated opens.
  /// The opener is then a program, so its user would not see the error.
  var onLoop: ((String, String) -> Void)?

  /// The reason why the desktop bridge must not receive the URL; nil if it may.
  /// - Parameter isCounted: false when nothing is opened.
  func failure(
    _ url: String, _ scheme: URLScheme, _ evidence: Evidence, isCounted: Bool
  ) -> OpenFailure? {
    let advice = "choose another application with: gio mime x-scheme-handler/\(scheme) ID"
    if evidence.wasBridged || BridgeHops.next(scheme, after: evidence.hops) > BridgeHops.most {
      return .applicationNotFound(
        "the desktop application for the scheme \(scheme) opens the URL with Launch Services"
          + " again; \(advice)")
    }
    guard evidence.mayGoRound, rounds.isOver(url, at: Time.monotonicMicroseconds()) else {
      return nil
    }
    let reason =
      "the same URL was opened repeatedly, probably because the desktop application for the scheme"
      + " \(scheme) opens the URL with Launch Services again; see the guide Universal links, or \(advice)"
    if isCounted, rounds.tell(url) { onLoop?(url, reason) }
    return .applicationNotFound(reason)
  }

  /// Counts an open that is delivered to the desktop bridge.
  func handedOver(_ open: PendingOpen) {
    guard open.mayGoRound, open.application.declaration.isDesktopBridge else { return }
    for url in open.payload.urls { rounds.add(url, at: Time.monotonicMicroseconds()) }
  }
}
