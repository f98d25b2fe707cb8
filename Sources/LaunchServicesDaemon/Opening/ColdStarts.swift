internal import LaunchRules
internal import Records

/// The last requests whose application was started with the URL and has said nothing, so that more may be known of them
/// soon.
struct ColdStarts {
  private var entries: [RequestEntry] = []
  /// More applications are hardly started in the few seconds that an application needs.
  private static let most = 64

  mutating func add(_ entry: RequestEntry) {
    entries.append(entry)
    if entries.count > Self.most { entries.removeFirst() }
  }

  /// The entry of a request that the handler passed on, as it is when the application has taken the URL. Nil for another
  /// request, and when this is asked again.
  /// - Parameter time: in microseconds, as in trails.
  mutating func handedOver(
    _ request: RequestID, by handler: BundleIdentifier, at time: UInt64
  ) -> RequestEntry? {
    guard
      let index = entries.firstIndex(where: {
        $0.number == request.number && BundleIdentifier($0.handler) == handler
      })
    else { return nil }
    var entry = entries.remove(at: index)
    entry.fate = OpenOutcome.Delivery.handedOver.rawValue
    entry.trail.append(RequestStep(OpenOutcome.Delivery.handedOver.rawValue, at: time))
    return entry
  }
}
