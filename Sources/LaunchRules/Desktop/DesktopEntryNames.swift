/// How an application of ours is called in the freedesktop world.
package enum DesktopEntryName {
  private static let prefix = "org.launchservices.handler."
  private static let suffix = ".desktop"

  /// The name of its file, which is its desktop file ID.
  ///
  /// Without `-`, which stands for a folder in such an ID; a bundle identifier has no `_`, so no two
  /// get one name. In lower case, as case tells no two identifiers apart.
  package static func file(of identifier: BundleIdentifier) -> String {
    prefix + String(identifier.text.lowercased().map { $0 == "-" ? "_" : $0 }) + suffix
  }

  /// Whether a file of this name is one that was exported.
  package static func isOurs(_ file: String) -> Bool {
    file.hasPrefix(prefix) && file.hasSuffix(suffix)
  }
}

/// A locale as keys of desktop entries have it, such as `de`, `pt_BR` and `sr@latin`.
package struct DesktopLocale: Hashable, Sendable {
  package let text: String

  /// From a folder `LANGUAGE.lproj`; nil for `Base.lproj` and for names that are no language tags.
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
