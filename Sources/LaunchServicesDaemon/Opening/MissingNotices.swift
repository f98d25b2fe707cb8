internal import LaunchRules

/// The notifications about missing system applications: at most one about an application and an opener in 10 s.
struct MissingNotices {
  private struct Key: Hashable {
    let application: SystemApplication
    let opener: String
  }

  private static let pause = Duration.seconds(10)
  /// Maximum number of notifications in that time.
  private static let most = 64

  private var times: [Key: ContinuousClock.Instant] = [:]

  /// Whether a notification is shown now.
  mutating func isDue(
    _ application: SystemApplication, for opener: String, at now: ContinuousClock.Instant
  ) -> Bool {
    times = times.filter { now - $0.value < Self.pause }
    let key = Key(application: application, opener: opener)
    guard times[key] == nil, times.count < Self.most else { return false }
    times[key] = now
    return true
  }
}
