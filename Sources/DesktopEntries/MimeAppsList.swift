package import FoundationEssentials
package import LaunchRules

/// The user's `mimeapps.list`. Only the defaults of schemes are changed.
package struct MimeAppsList {
  private static let defaults = "Default Applications"
  private static let added = "Added Associations"
  private var file: KeyFile
  /// The contents of the file.
  private var contents: [UInt8]
  /// The contents before an exported entry became a default; nil when the file did not exist.
  private var before: [UInt8]?

  /// - Parameters:
  ///   - bytes: the contents of the file; nil when it does not exist.
  ///   - record: the record of the last change. Ignored if the file was changed since.
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

  /// The contents to write; nil to remove the file. Without exported entries, these are the original
  /// contents.
  package var bytes: [UInt8]? { ours.isEmpty ? before : contents }

  /// The record to keep with the file; nil when there is nothing to restore.
  package var record: MimeAppsRecord? {
    ours.isEmpty
      ? nil
      : MimeAppsRecord(
        before: before.map { Data($0) }, after: Data(contents))
  }

  /// The schemes for which the user has a default or has added an application.
  package var schemes: [URLScheme] {
    (file.keys(of: Self.defaults) + file.keys(of: Self.added)).compactMap(SchemeType.scheme)
  }

  /// The schemes with an exported entry among their defaults.
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

  /// Restores the default that an exported entry replaced. Returns whether there was an exported entry.
  @discardableResult package mutating func giveBack(_ scheme: URLScheme) -> Bool {
    var list = list(of: scheme)
    guard list.takeBack() else { return false }
    set(scheme, list.isEmpty ? nil : list.text)
    return true
  }

  /// Changes one line; if GLib reads other values than expected, GLib writes the whole file.
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

/// The contents that restore `mimeapps.list`.
package struct MimeAppsRecord: Codable, Hashable, Sendable {
  /// Nil when the file did not exist.
  package let before: Data?
  /// The contents that the bridge wrote.
  package let after: Data
}
