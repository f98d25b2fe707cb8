/// Decides whether a URL that goes to a desktop application would come back: a program that runs `lsopen`, as some
/// desktop applications do, opens the URL with Launch Services again.
package enum RedirectLoopRule {
  /// The facts about the opening process.
  package struct Evidence {
    /// The desktop bridge started the process for the same URL.
    package var wasBridged: Bool
    package var hops: BridgeHops?
    /// See `BridgeRepetitions.canLoop`.
    package var canLoop: Bool

    package init(wasBridged: Bool, hops: BridgeHops?, canLoop: Bool) {
      self.wasBridged = wasBridged
      self.hops = hops
      self.canLoop = canLoop
    }
  }

  package enum Verdict: Hashable, Sendable {
    case allowed
    /// The opener has the URL from the desktop bridge.
    case comesBack(reason: String)
    /// The same URL was opened so often that a program probably opens it.
    case repeats(reason: String)
  }

  /// - Parameter isOver: whether the URL was delivered so often that it must not be delivered now; see
  ///   `BridgeRepetitions`.
  package static func decide(
    _ scheme: URLScheme, _ evidence: Evidence, isOver: @autoclosure () -> Bool
  ) -> Verdict {
    let advice = "choose another application with: gio mime x-scheme-handler/\(scheme) ID"
    if evidence.wasBridged || BridgeHops.next(scheme, after: evidence.hops).isLoop {
      return .comesBack(
        reason:
          "the desktop application for the scheme \(scheme) opens the URL with Launch Services"
          + " again; \(advice)")
    }
    guard evidence.canLoop, isOver() else { return .allowed }
    return .repeats(
      reason:
        "the same URL was opened repeatedly, probably because the desktop application for the scheme"
        + " \(scheme) opens the URL with Launch Services again; see the guide Universal links, or \(advice)"
    )
  }
}
