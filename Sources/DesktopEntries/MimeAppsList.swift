package import FoundationEssentials
package import LaunchRules

/// The user's `mimeapps.list`. Only the defaults of schemes are changed.
package struct MimeAppsList {
  private var file: EditedKeyFile
  /// The contents before an exported entry became a default; nil when the file did not exist.
  private var before: [UInt8]?

  /// - Parameters:
  ///   - bytes: the contents of the file; nil when it does not exist.
  ///   - record: the record of the last change. Ignored if the file was changed since.
  package init(_ bytes: [UInt8]?, record: MimeAppsRecord? = nil) throws(DesktopFailure) {
    file = try EditedKeyFile(bytes ?? [])
    before = bytes
    if let record, record.after == bytes.map({ Data($0) }) {
      before = record.before.map(Array.init)
    } else if let bytes, !ours.isEmpty {
      for scheme in ours { giveBack(scheme) }
      before = file.bytes
      file = try EditedKeyFile(bytes)
    }
  }

  /// The contents to write; nil to remove the file. Without exported entries, these are the original
  /// contents.
  package var bytes: [UInt8]? { ours.isEmpty ? before : file.bytes }

  /// The record to keep with the file; nil when there is nothing to restore.
  package var record: MimeAppsRecord? {
    ours.isEmpty
      ? nil
      : MimeAppsRecord(
        before: before.map { Data($0) }, after: Data(file.bytes))
  }

  /// The schemes for which the user has a default or has added an application.
  package var schemes: [URLScheme] {
    [AssociationChange.defaults, AssociationChange.added].flatMap { file.keys.keys(of: $0) }
      .compactMap(SchemeType.scheme)
  }

  /// The schemes with an exported entry among their defaults.
  package var ours: [URLScheme] {
    file.keys.keys(of: AssociationChange.defaults).compactMap(SchemeType.scheme).filter { scheme in
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

  private mutating func set(_ scheme: URLScheme, _ value: String?) {
    file.set(SchemeType.text(of: scheme), in: AssociationChange.defaults, to: value)
  }

  private func list(of scheme: URLScheme) -> DefaultList {
    DefaultList(
      file.keys.value(SchemeType.text(of: scheme), in: AssociationChange.defaults) ?? "")
  }
}

/// The contents that restore `mimeapps.list`.
package struct MimeAppsRecord: Codable, Hashable, Sendable {
  /// Nil when the file did not exist.
  package let before: Data?
  /// The contents that the bridge wrote.
  package let after: Data
}
