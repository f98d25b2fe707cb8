package import LaunchRules

/// The user's `mimeapps.list`, of which only the defaults of schemes are changed.
package struct MimeAppsList {
  private static let defaults = "Default Applications"
  private static let added = "Added Associations"
  private var file: KeyFile
  /// The contents of the file.
  private var contents: [UInt8]

  /// - Parameter bytes: empty when there is no file.
  package init(_ bytes: [UInt8]) throws(DesktopFailure) {
    file = try KeyFile(bytes)
    contents = bytes
  }

  /// Nil when nothing is left.
  package var bytes: [UInt8]? { contents.isEmpty ? nil : contents }

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
  package mutating func prefer(_ entry: String, for scheme: URLScheme) {
    var list = list(of: scheme)
    list.prefer(entry)
    set(scheme, list.text)
  }

  /// Gives back what was there before an entry of ours became the default; true when one had.
  @discardableResult package mutating func giveBack(_ scheme: URLScheme) -> Bool {
    var list = list(of: scheme)
    guard list.takeBack() else { return false }
    set(scheme, list.isEmpty ? nil : list.text)
    return true
  }

  /// Changes one line, if GLib then reads what it is to read; else has GLib write the file anew.
  private mutating func set(_ scheme: URLScheme, _ value: String?) {
    let key = SchemeType.text(of: scheme)
    var lines = KeyFileLines(contents)
    if let value {
      lines.set(key, in: Self.defaults, to: value)
      file.setValue(key, in: Self.defaults, to: value)
    } else {
      lines.remove(key, in: Self.defaults)
      file.remove(key, in: Self.defaults)
      if file.keys(of: Self.defaults).isEmpty { file.removeGroup(Self.defaults) }
    }
    let isRight = (try? KeyFile(lines.bytes))?.hasSameKeys(as: file) ?? false
    contents = isRight ? lines.bytes : file.bytes
  }

  private func list(of scheme: URLScheme) -> DefaultList {
    DefaultList(file.value(SchemeType.text(of: scheme), in: Self.defaults) ?? "")
  }
}
