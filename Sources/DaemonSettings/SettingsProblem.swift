package import Host
internal import LaunchRules

/// A problem of a settings file.
package struct SettingsProblem: Hashable, Sendable {
  /// A key that has no effect.
  package struct Entry: Hashable, Sendable {
    /// The key, after the keys of the dictionaries that contain it, such as `Confirmations.tel-web`.
    package let key: String
    /// What is wrong with the key or its value, without a full stop.
    package let sentence: String
  }

  package let level: JournalLevel
  /// For the log; names the file by the last path component.
  package let message: String
  /// Empty for a problem of the whole file.
  package let entries: [Entry]

  private init(_ level: JournalLevel, _ message: String, _ entries: [Entry]) {
    self.level = level
    self.message = "config.plist: \(message)"
    self.entries = entries
  }

  /// A file that cannot be used as a whole.
  static func unusable(_ reason: String) -> Self {
    Self(.error, "not used: \(reason); using the default of every setting", [])
  }

  static func notAllowed(
    _ path: String, _ value: SettingValue, _ allowed: String, instead: String
  ) -> Self {
    let sentence = "\(value.shownWithEntry) is not allowed (\(allowed))"
    return Self(
      .warning, "\(path): \(sentence); using \(instead)", [Entry(key: path, sentence: sentence)])
  }

  /// - Parameter known: the valid keys, for suggestions.
  static func unknown(_ keys: Set<String>, at path: String, _ known: [String]) -> Self {
    let most = 10
    let suggestions = keys.sorted().map { key in
      (key: key, suggestion: NearestName.of(key, among: known).map { "did you mean \($0)?" })
    }
    var names = suggestions.prefix(most).map { key, suggestion in
      key.shortened + (suggestion.map { " (\($0))" } ?? "")
    }
    if keys.count > most { names.append("and \(keys.count - most) more") }
    let place = path.isEmpty ? "" : "\(path): "
    return Self(
      .warning, "\(place)ignored unknown keys: \(names.joined(separator: ", "))",
      suggestions.map { key, suggestion in
        Entry(
          key: path.isEmpty ? key : "\(path).\(key)",
          sentence: "is not a setting; " + (suggestion ?? "see man launch-services.plist"))
      })
  }
}

extension String {
  /// On one line, shortened, without quotation marks.
  package var shortened: String { String(quoted.dropFirst().dropLast()) }
}
