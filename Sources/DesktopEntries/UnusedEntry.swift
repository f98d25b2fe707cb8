internal import CGIO
internal import LaunchRules

/// Why GIO leaves out a desktop entry.
package enum UnusedEntry {
  /// A sentence about the entry, with the next step and without its full stop; nil when GIO uses the entry.
  /// - Parameters:
  ///   - identifier: the desktop file ID.
  ///   - path: the file of the entry.
  package static func sentence(_ identifier: String, _ path: String) -> String? {
    if let application = DesktopApplication(identifier: identifier) {
      return application.leadsBack
        ? "\(path) is the exported entry of another application, whose identifier 'lsregister desktop status' shows"
        : nil
    }
    let (reason, advice) = reason(of: path)
    return "the desktop entry \(path) exists, but is not used: \(reason); \(advice)"
  }

  private static func reason(of path: String) -> (reason: String, advice: String) {
    guard let keys = try? KeyFile(path: path) else {
      return ("it is no valid key file", "'desktop-file-validate' shows the mistake")
    }
    func text(_ key: String) -> String? { keys.text(key, in: DesktopEntry.group) }
    if text("Hidden") == "true" {
      return (
        "it contains Hidden=true, by which a user or a program has removed the application",
        "remove that line, or the file, if another folder has an entry of this name"
      )
    }
    guard text("Type") == "Application" else {
      return ("it does not contain Type=Application", "correct the entry")
    }
    if let program = text("TryExec"), !isInstalled(program) {
      return (
        "the program '\(program)' of its key TryExec is not installed",
        "install the program, or correct the key"
      )
    }
    if let command = text("Exec"), !command.isEmpty {
      guard let program = ExecWords.of(command).first else {
        return ("its key Exec is no valid command line", "correct the key")
      }
      if !isInstalled(program) {
        return (
          "the program '\(program)' of its key Exec is not installed",
          "install the program, or correct the key"
        )
      }
    }
    return ("GIO does not accept it", "'desktop-file-validate' shows mistakes")
  }

  /// Whether GIO finds the program: a path, or a name in `PATH`.
  private static func isInstalled(_ program: String) -> Bool {
    guard let path = unsafe g_find_program_in_path(program) else { return false }
    unsafe g_free(path)
    return true
  }
}
