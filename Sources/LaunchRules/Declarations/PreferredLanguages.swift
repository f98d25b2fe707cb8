/// The preferred languages of the user, best first, determined as in gettext.
package struct PreferredLanguages: Hashable, Sendable {
  /// Names in the form of folders `NAME.lproj`, in lower case with `-`, such as `de-at` and `de`.
  package let names: [String]

  package static let none = PreferredLanguages { _ in nil }

  /// - Parameter environment: returns the value of an environment variable.
  ///
  /// The first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set is the locale. `LANGUAGE`, a list separated
  /// by `:`, has precedence unless the locale is `C`.
  package init(environment: (String) -> String?) {
    func value(_ name: String) -> String? {
      environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    let locale = value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG") ?? "C"
    var names: [String] = []
    if locale != "C" && locale != "POSIX" {
      for locale in (value("LANGUAGE") ?? locale).split(separator: ":") {
        let parts = Self.names(of: locale)
        if parts.isEmpty { break }  // C ends the list
        names += parts.filter { !names.contains($0) }
      }
    }
    self.names = names
  }

  /// The folders `NAME.lproj` with a preferred language, best first.
  package func sort(_ folders: [String]) -> [String] {
    names.flatMap { name in
      folders.filter { Self.language(of: $0) == name }.sorted()
    }
  }

  /// Nil when the name does not have the form `NAME.lproj`.
  private static func language(of folder: String) -> String? {
    let suffix = ".lproj"
    guard folder.hasSuffix(suffix) else { return nil }
    return folder.dropLast(suffix.count).lowercased().replacing("_", by: "-")
  }

  /// The names for `language[_TERRITORY][.CODESET][@MODIFIER]`: with territory, with script, without both.
  private static func names(of locale: Substring) -> [String] {
    let (rest, modifier) = locale.lowercased().divided(at: "@")
    let (language, territory) = rest.divided(at: ".").0.replacing("_", by: "-").divided(at: "-")
    guard !language.isEmpty, language != "c", language != "posix" else { return [] }
    let scripts = [
      "zh-cn": "hans", "zh-sg": "hans", "zh-tw": "hant", "zh-hk": "hant", "zh-mo": "hant",
    ]
    let modifiers = ["latin": "latn", "cyrillic": "cyrl", "devanagari": "deva"]
    let script = modifiers[modifier] ?? scripts["\(language)-\(territory)"]
    return [
      territory.isEmpty ? nil : "\(language)-\(territory)", script.map { "\(language)-\($0)" },
      language,
    ].compactMap(\.self)
  }
}

extension String {
  /// The text before and after the first `separator`.
  fileprivate func divided(at separator: Character) -> (String, String) {
    guard let index = firstIndex(of: separator) else { return (self, "") }
    return (String(self[..<index]), String(self[self.index(after: index)...]))
  }

  fileprivate func replacing(_ old: Character, by new: Character) -> String {
    String(map { $0 == old ? new : $0 })
  }
}
