internal import LaunchRules

/// Finds keys of the top level that are nearly the name of a key that is read.
extension LenientDictionary {
  /// Call it after the last key was read.
  func reportMisspeltKeys(_ context: ReadingContext) {
    // A property list has about a hundred keys.
    for key in keys.prefix(Self.mostKeys) where !context.readKeys.contains(key) {
      guard !Self.similarKeys.contains(key) else { continue }
      // Longer and shorter names differ by more characters than a slip.
      let near = context.readKeys.filter {
        abs($0.utf8.count - key.utf8.count) <= Self.mostDifferences
      }
      guard let meant = NearestName.of(key, among: Array(near), atMost: Self.mostDifferences)
      else { continue }
      context.report(
        .warning, key, "unknown key \(key): did you mean \(meant)?", "it was ignored")
    }
  }

  private static let mostDifferences = 2
  private static let mostKeys = 1_000
  /// Keys of Apple that are not read, and differ little from keys that are.
  private static let similarKeys: Set = ["CFBundleIconFiles"]
}
