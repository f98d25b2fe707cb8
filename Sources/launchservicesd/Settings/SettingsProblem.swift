internal import Host
internal import LaunchRules

/// A log message about the settings file, which it names by the last path component.
nonisolated struct SettingsProblem: Hashable, Sendable {
  let level: JournalLevel
  let message: String

  private init(_ level: JournalLevel, _ message: String) {
    self.level = level
    self.message = "config.plist: \(message)"
  }

  /// A file that cannot be used as a whole.
  static func unusable(_ reason: String) -> Self {
    Self(.error, "not used: \(reason); using the default of every setting")
  }

  static func notAllowed(
    _ path: String, _ value: PropertyListValue, _ allowed: String, instead: String
  ) -> Self {
    Self(
      .warning, "\(path): \(value.shownWithEntry) is not allowed (\(allowed)); using \(instead)")
  }

  /// - Parameter known: the valid keys, for suggestions.
  static func unknown(_ keys: Set<String>, at path: String, _ known: [String]) -> Self {
    let most = 10
    let sorted = keys.sorted()
    var names = sorted.prefix(most).map { key in
      let suggestion = NearestName.of(key, among: known)
      return key.shortened + (suggestion.map { " (did you mean \($0)?)" } ?? "")
    }
    if sorted.count > most { names.append("and \(sorted.count - most) more") }
    let place = path.isEmpty ? "" : "\(path): "
    return Self(.warning, "\(place)ignored unknown keys: \(names.joined(separator: ", "))")
  }
}

nonisolated extension String {
  /// On one line, shortened, without quotation marks.
  var shortened: String { String(quoted.dropFirst().dropLast()) }
}
