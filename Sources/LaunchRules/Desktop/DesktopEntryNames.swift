/// The names of registered applications as desktop entries.
package enum DesktopEntryName {
  private static let prefix = "org.launchservices.handler."
  private static let suffix = ".desktop"

  /// The name of the desktop file, which is also its desktop file ID.
  ///
  /// The name contains no `-`, which stands for a folder in such an ID. Bundle identifiers contain no `_`, so
  /// names are unique. The name is in lower case, because identifiers ignore case.
  package static func file(of identifier: BundleIdentifier) -> String {
    prefix + String(identifier.text.lowercased().map { $0 == "-" ? "_" : $0 }) + suffix
  }

  /// Whether the name is that of an exported file.
  package static func isOurs(_ file: String) -> Bool {
    file.hasPrefix(prefix) && file.hasSuffix(suffix)
  }
}

/// A locale in the form used by keys of desktop entries, such as `de`, `pt_BR` and `sr@latin`.
package struct DesktopLocale: Hashable, Sendable {
  package let text: String

  /// The locale of a folder `LANGUAGE.lproj`; nil for `Base.lproj` and names that are not language tags.
  package init?(folder: String) {
    let suffix = ".lproj"
    guard folder.hasSuffix(suffix) else { return nil }
    let parts = folder.dropLast(suffix.count)
      .split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }.map(String.init)
    guard let language = parts.first, (2...3).contains(language.utf8.count), parts.count <= 3,
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0.isASCIILetter } })
    else { return nil }
    var script: String?
    var territory: String?
    for part in parts.dropFirst() {
      switch part.utf8.count {
      case 4: script = part.lowercased()
      case 2: territory = part.uppercased()
      default: return nil
      }
    }
    text = Self.text(language.lowercased(), script: script, territory: territory)
  }

  private static func text(_ language: String, script: String?, territory: String?) -> String {
    let territories = ["zh-hans": "CN", "zh-hant": "TW"]
    let modifiers = ["latn": "@latin", "cyrl": "@cyrillic", "deva": "@devanagari"]
    let place = territory ?? script.flatMap { territories["\(language)-\($0)"] }
    return language + (place.map { "_" + $0 } ?? "") + (script.flatMap { modifiers[$0] } ?? "")
  }
}
