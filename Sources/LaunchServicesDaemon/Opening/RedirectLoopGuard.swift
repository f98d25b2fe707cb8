internal import Host
internal import LaunchRules

/// Refuses URLs that a desktop application opens with Launch Services again, by `RedirectLoopRule`. Counts the
/// deliveries to the desktop bridge.
final class RedirectLoopGuard {
  private var repetitions = BridgeRepetitions()
  /// Called with the URL and the reason when a URL is refused for the first time because of repeated opens.
  /// The opener is then a program, so its user would not see the error.
  var onLoop: ((String, String) -> Void)?

  /// The reason why the desktop bridge must not receive the URL; nil if it may.
  /// - Parameter isCounted: false when nothing is opened.
  func failure(
    _ url: String, _ scheme: URLScheme, _ evidence: RedirectLoopRule.Evidence, isCounted: Bool
  ) -> OpenFailure? {
    let isOver = { [repetitions] in repetitions.isOver(url, at: Time.monotonicMicroseconds()) }
    switch RedirectLoopRule.decide(scheme, evidence, isOver: isOver()) {
    case .allowed: return nil
    case .comesBack(let reason): return .applicationNotFound(reason)
    case .repeats(let reason):
      if isCounted, repetitions.tell(url) { onLoop?(url, reason) }
      return .applicationNotFound(reason)
    }
  }

  /// Counts an open that is delivered to the desktop bridge.
  func handedOver(_ open: PendingOpen) {
    guard open.passage.canLoop, open.receiver.application?.declaration.isDesktopBridge == true
    else { return }
    for url in open.payload.urls { repetitions.add(url, at: Time.monotonicMicroseconds()) }
  }
}
