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
      guard application.leadsBack else { return nil }
    }
    let (reason, advice) = reason(of: path)
    if reason.isEmpty { return "\(path) \(advice)" }
    return "the desktop entry \(path) exists, but is not used: \(reason); \(advice)"
  }

  /// - Returns: an empty reason for an exported entry.
  private static func reason(of path: String) -> (reason: String, advice: String) {
    guard let keys = try? KeyFile(path: path) else {
      return ("it is no valid key file", "'desktop-file-validate' shows the mistake")
    }
    func text(_ key: String) -> String? { keys.text(key, in: DesktopEntry.group) }
    if text(DesktopBridge.mark) != nil {
      return (
        "",
        "is the exported entry of another application, whose identifier 'lsregister desktop status' shows"
      )
    }
    if ["true", "1"].contains(text("Hidden")) {
      return (
        "it contains Hidden=true, by which a user or a program has removed the application",
        "to have the application again, remove that line, or the whole file when it has no Exec"
      )
    }
    guard text("Type") == "Application" else {
      return ("it does not contain Type=Application", "correct the entry")
    }
    let words = text("Exec").map(ExecWords.of)
    let program = words.flatMap { StartedProgramRule.withoutVariables($0).first }
    if let name = program?.split(separator: "/").last.map(String.init),
      DesktopBridge.ownPrograms.contains(name)
    {
      return (
        "its key Exec starts \(name), which would give the URL back to Launch Services",
        "write the program of the application itself into Exec; 'lsopen -b ID' opens URLs in a registered application"
      )
    }
    if let program = text("TryExec"), !isInstalled(program) {
      return (
        "the program '\(program)' of its key TryExec is not installed",
        "install the program, or correct the key"
      )
    }
    if let words, text("Exec")?.isEmpty == false {
      guard let program = words.first else {
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
