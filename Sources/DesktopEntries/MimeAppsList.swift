package import LaunchRules

/// The user's `mimeapps.list`, of which only the defaults of schemes are changed.
package struct MimeAppsList {
  private static let defaults = "Default Applications"
  private static let added = "Added Associations"
  private let file: KeyFile

  /// - Parameter bytes: empty when there is no file.
  package init(_ bytes: [UInt8]) throws(DesktopFailure) { file = try KeyFile(bytes) }

  /// Nil when nothing is left.
  package var bytes: [UInt8]? {
    let bytes = file.bytes
    return bytes.allSatisfy { $0 == UInt8(ascii: "\n") } ? nil : bytes
  }

  /// Those for which the user has a default or has added an application.
  package var schemes: [URLScheme] {
    (file.keys(of: Self.defaults) + file.keys(of: Self.added)).compactMap(SchemeType.scheme)
  }

  /// Those whose default is an entry of ours, or has been and stands in the list still.
  package var ours: [URLScheme] {
    file.keys(of: Self.defaults).compactMap(SchemeType.scheme).filter { scheme in
      list(of: scheme).files.contains(where: DesktopEntryName.isOurs)
    }
  }

  /// Makes an exported entry the default of a scheme.
  package func prefer(_ entry: String, for scheme: URLScheme) {
    var list = list(of: scheme)
    list.prefer(entry)
    file.setValue(SchemeType.text(of: scheme), in: Self.defaults, to: list.text)
  }

  /// Gives back what was there before an entry of ours became the default; true when one had.
  @discardableResult package func giveBack(_ scheme: URLScheme) -> Bool {
    var list = list(of: scheme)
    guard list.takeBack() else { return false }
    if list.isEmpty {
      file.remove(SchemeType.text(of: scheme), in: Self.defaults)
      if file.keys(of: Self.defaults).isEmpty { file.removeGroup(Self.defaults) }
    } else {
      file.setValue(SchemeType.text(of: scheme), in: Self.defaults, to: list.text)
    }
    return true
  }

  private func list(of scheme: URLScheme) -> DefaultList {
    DefaultList(file.value(SchemeType.text(of: scheme), in: Self.defaults) ?? "")
  }
}
