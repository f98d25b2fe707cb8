internal import Host
internal import LaunchRules

// A desktop application that hands a URL back to Launch Services, such as a script around lsopen, would
// be given it again and again.

extension Daemon {
  /// The round that an open of this caller begins.
  func hops(of scheme: URLScheme, from sender: String) -> Int {
    BridgeHops.next(scheme, after: callers.facts(of: sender)?.hops)
  }

  /// Refuses a URL that comes from a program which the bridge has started for that very URL, one that
  /// goes round and round, changed or not, and one that does so through a program that runs already.
  func forbidCircle(
    _ url: String, _ scheme: URLScheme, to application: InstalledApplication, from sender: String
  ) throws(OpenFailure) {
    guard application.declaration.isDesktopBridge, let facts = callers.facts(of: sender) else {
      return
    }
    let advice = "choose another with: gio mime x-scheme-handler/\(scheme) ID"
    let bridge = instances.instance(startedAs: facts)
    if bridge.flatMap({ instances[$0] })?.bridged.contains(url) == true
      || hops(of: scheme, from: sender) > BridgeHops.most
    {
      throw .applicationNotFound(
        "the desktop application for the scheme \(scheme) hands the URL back; \(advice)")
    }
    // Browsers and their like hand out URLs; a document may well be opened often.
    guard scheme != .file else { return }
    let round = bridgeRounds.next(url, at: Time.monotonicMicroseconds())
    guard round > BridgeRounds.most else { return }
    let reason =
      "it comes back again and again, as if the desktop application for the scheme \(scheme) handed"
      + " it back; see Universal links in the README, or \(advice)"
    // Who opens it is a program, whose user would not hear of it.
    if round == BridgeRounds.most + 1 {
      notices.tell("\(subject(url).prefix(200)) is not opened", reason)
    }
    throw .applicationNotFound(reason)
  }
}
