internal import LaunchRules
internal import Records

/// The last requests whose application was started with the URL, so that more may be known of them soon: the application has
/// taken the URL, or has failed.
struct ColdStarts {
  private var entries: [RequestEntry] = []
  /// More applications are hardly started in the few seconds that an application needs.
  private static let most = 64

  mutating func add(_ entry: RequestEntry) {
    entries.append(entry)
    if entries.count > Self.most { entries.removeFirst() }
  }

  /// The entry of a request that the handler passed on, as it is when the application has taken the URL. Nil for another
  /// request, and when the application has taken the URL before.
  /// - Parameter time: in microseconds, as in trails.
  mutating func handedOver(
    _ request: RequestID, by handler: BundleIdentifier, at time: UInt64
  ) -> RequestEntry? {
    guard let index = index(of: request, handler),
      entries[index].fate == OpenOutcome.Delivery.unacknowledged.rawValue
    else { return nil }
    entries[index].fate = OpenOutcome.Delivery.handedOver.rawValue
    entries[index].trail.append(RequestStep(OpenOutcome.Delivery.handedOver.rawValue, at: time))
    return entries[index]
  }

  /// The entry of a request that the handler passed on, as it is when the application has failed. Nil for another request,
  /// and when this is asked again.
  /// - Parameter time: in microseconds, as in trails.
  mutating func failed(
    _ request: RequestID, _ failure: HandOver.Failure, by handler: BundleIdentifier, at time: UInt64
  ) -> RequestEntry? {
    guard let index = index(of: request, handler) else { return nil }
    var entry = entries.remove(at: index)
    entry.trail.append(RequestStep(failure.step, at: time))
    return entry
  }

  private func index(of request: RequestID, _ handler: BundleIdentifier) -> Int? {
    entries.firstIndex {
      $0.number == request.number && BundleIdentifier($0.handler) == handler
    }
  }
}
