/// The settings in documents. Committed files contain the same text, and a test compares them;
/// `Tests/update-settings-documents` updates the files.
nonisolated enum SettingsDocumentation {
  /// The arguments of `--print-settings`.
  enum Format: String, Hashable, Sendable, CaseIterable {
    /// The manual page launch-services.plist(5).
    case roff
    /// The table of the guide Settings.
    case markdown

    var text: String {
      switch self {
      case .roff: SettingsDocumentation.manualPage
      case .markdown: SettingsDocumentation.markdown(SettingsTable.file.members)
      }
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

/// Text of a manual page.
nonisolated enum Roff {
  private static let width = 78

  /// Escapes backslashes and hyphens, so that roff prints them unchanged.
  static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
  }

  /// Lines of text, in which each sentence begins a new line; text between backticks becomes bold.
  static func sentences(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    var isBold = false
    for word in text.split(separator: " ") {
      var shown = ""
      for character in word {
        if character == "`" {
          isBold.toggle()
          shown += isBold ? "\\fB" : "\\fR"
        } else {
          shown += escaped(String(character))
        }
      }
      if !line.isEmpty, line.count + 1 + shown.count > width {
        lines.append(line)
        line = ""
      }
      if line.isEmpty {
        // roff reads a line that begins with one of these as a request.
        line = (shown.hasPrefix(".") || shown.hasPrefix("'") ? "\\&" : "") + shown
      } else {
        line += " " + shown
      }
      if word.hasSuffix(".") {
        lines.append(line)
        line = ""
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
