package import LaunchRules

/// The desktop entry that exports a registered application to desktops.
package struct DesktopEntry: Hashable, Sendable {
  static let group = "Desktop Entry"

  package var identifier: BundleIdentifier
  package var name: String
  package var names: [DesktopLocale: String]
  /// An absolute path, or a name of the icon theme.
  package var icon: String?
  /// Each once, in order.
  package var schemes: [URLScheme]
  /// An absolute path, or a name that is looked up in `PATH`.
  package var program: String

  package init(
    identifier: BundleIdentifier, name: String, names: [DesktopLocale: String] = [:],
    icon: String? = nil, schemes: [URLScheme], program: String
  ) {
    self.identifier = identifier
    self.name = name
    self.names = names
    self.icon = icon
    self.schemes = schemes
    self.program = program
  }

  /// The name of the entry's file.
  package var fileName: String { DesktopEntryName.file(of: identifier) }

  /// The contents of the entry's file; equal entries have equal contents.
  package var bytes: [UInt8] {
    let keys = KeyFile()
    func set(_ key: String, _ text: String) { keys.setText(key, in: Self.group, to: text) }
    set("Type", "Application")
    set("Name", Self.line(name) ?? identifier.text)
    for (locale, name) in names.sorted(by: { $0.key.text < $1.key.text }) {
      guard let name = Self.line(name) else { continue }
      keys.setText("Name", for: locale.text, in: Self.group, to: name)
    }
    // `--from-link` marks the URL as a link: GIO starts lsopen and ends, so that the browser may not be among
    // the ancestors of lsopen.
    set("Exec", ExecValue.command(program, ["--from-link"], fieldCode: "%u"))
    if let icon { set("Icon", icon) }
    keys.setTruth("NoDisplay", in: Self.group, to: true)
    keys.setTruth("StartupNotify", in: Self.group, to: true)
    keys.setList("MimeType", in: Self.group, to: schemes.map(SchemeType.text))
    set(DesktopBridge.mark, identifier.text)
    return keys.bytes
  }

  /// The visible text on one line; nil when it is empty.
  private static func line(_ text: String) -> String? {
    let words = text.onOneLine.split(separator: " ").joined(separator: " ")
    return words.isEmpty ? nil : words
  }
}

/// The contents of an exported entry's file.
package struct DesktopEntryFile: Hashable, Sendable {
  /// Empty for an entry that the bridge did not export.
  package let identifier: String
  package let schemes: [URLScheme]

  package init(_ bytes: [UInt8]) throws(DesktopFailure) {
    let keys = try KeyFile(bytes)
    identifier = keys.text(DesktopBridge.mark, in: DesktopEntry.group) ?? ""
    schemes = (keys.value("MimeType", in: DesktopEntry.group) ?? "").split(separator: ";")
      .compactMap { SchemeType.scheme(of: String($0)) }
  }
}
