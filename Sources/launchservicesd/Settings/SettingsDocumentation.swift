internal import DaemonSettings

/// The settings in documents. Committed files contain the same text, and a test compares them;
/// `Tests/update-documents` updates the files.
nonisolated enum SettingsDocumentation {
  /// The manual page launch-services.plist(5), or the table of the guide Settings.
  static func text(_ format: DocumentFormat) -> String {
    switch format {
    case .roff: manualPage
    case .markdown: markdown(SettingsTable.file.members)
    }
  }

  /// The text in `--help` for the option that overrides a setting.
  static func optionHelp(_ setting: some SettingDescription) -> String {
    "\(setting.help) (\(setting.allowed); default \(setting.defaultText))"
      .replacing("`", with: "")
  }

  static func markdown(_ settings: [any SettingDescription]) -> String {
    var lines = ["| key | value | default | |", "|---|---|---|---|"]
    for setting in settings {
      let note = setting.note.isEmpty ? "" : ". " + setting.note
      lines.append(
        "| `\(setting.key)` | \(setting.allowed) | \(setting.defaultText) | \(setting.help)\(note) |"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A tagged paragraph for each setting.
  static func roff(_ settings: [any SettingDescription]) -> String {
    var lines: [String] = []
    for setting in settings {
      lines += [".TP", ".B " + Roff.escaped(setting.key)]
      lines += Roff.sentences(capitalized(setting.help) + ".")
      if !setting.note.isEmpty { lines += Roff.sentences(setting.note) }
      lines += Roff.sentences(
        capitalized(setting.allowed) + ". Default: " + setting.defaultText + ".")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }
}
