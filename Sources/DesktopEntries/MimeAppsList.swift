package import FoundationEssentials
package import LaunchRules

/// The user's `mimeapps.list`, of which only the defaults of schemes are changed.
package struct MimeAppsList {
  private static let defaults = "Default Applications"
  private static let added = "Added Associations"
  private var file: KeyFile
  /// The contents of the file.
  private var contents: [UInt8]
  /// What the file was before ours became a default; nil when there was none.
  private var before: [UInt8]?

  /// - Parameters:
  ///   - bytes: the contents of the file; nil when there is none.
  ///   - record: that of the last change. It counts as long as nobody else has changed the file.
  package init(_ bytes: [UInt8]?, record: MimeAppsRecord? = nil) throws(DesktopFailure) {
    file = try KeyFile(bytes ?? [])
    contents = bytes ?? []
    before = bytes
    if let record, record.after == bytes.map({ Data($0) }) {
      before = record.before.map(Array.init)
    } else if let bytes, !ours.isEmpty {
      for scheme in ours { giveBack(scheme) }
      before = contents
      file = try KeyFile(bytes)
      contents = bytes
    }
  }

  /// Nil for no file. Where no default is ours, it is what it was before, byte for byte.
  package var bytes: [UInt8]? { ours.isEmpty ? before : contents }

  /// To be kept with the file; nil when there is nothing to give back.
  package var record: MimeAppsRecord? {
    ours.isEmpty
      ? nil
      : MimeAppsRecord(
        before: before.map { Data($0) }, after: Data(contents))
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
    }
    let isRight = (try? KeyFile(lines.bytes))?.hasSameKeys(as: file) ?? false
    contents = isRight ? lines.bytes : file.bytes
  }

  private func list(of scheme: URLScheme) -> DefaultList {
    DefaultList(file.value(SchemeType.text(of: scheme), in: Self.defaults) ?? "")
  }
}

/// What must be known to give `mimeapps.list` back as it was.
package struct MimeAppsRecord: Codable, Hashable, Sendable {
  /// Nil when there was no file.
  package let before: Data?
  /// What we made of it.
  package let after: Data
}
