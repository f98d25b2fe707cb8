/// Decides whether the user has made a change of the default applications.
///
/// Only the processes count that existed when the file was changed, because a program can write each line that the
/// settings of a desktop write. The change is the user's when one of these processes is
///
/// - a program of the desktop's settings, which runs only while its window is open, or
/// - a command such as `gio mime`, `xdg-mime` and `xdg-settings`, or a text editor, that the shell of a terminal has
///   started. A program that calls `xdg-mime` is the parent of `xdg-mime`, and is no shell that leads the session of a
///   terminal.
///
/// A file manager, which offers to open the files of a type with another application, runs all the time. Its process counts
/// only for a change of such types alone: not of schemes and web pages, which no file manager needs to change, and
/// which other programs take over.
///
/// The program must be in a folder that the user cannot write.
package enum UserChoiceRule {
  /// What the kernel knows about a process.
  package struct Process: Hashable, Sendable {
    /// The path of the executable file.
    let executable: String
    /// The name that the kernel keeps, at most 15 bytes. For a script, that of the script.
    let name: String
    /// Whether the process or its parent leads the session of a terminal.
    package let isOfTerminal: Bool

    package init(executable: String, name: String, isOfTerminal: Bool) {
      (self.executable, self.name, self.isOfTerminal) = (executable, name, isOfTerminal)
    }
  }

  /// A program by which users choose applications.
  package enum Chooser: Hashable, Sendable {
    case settings
    /// A command or a text editor, in a terminal.
    case command
    case fileManager
  }

  /// Nil for a process of another program.
  package static func chooser(_ process: Process) -> Chooser? {
    guard systemFolders.contains(where: process.executable.hasPrefix) else { return nil }
    let program = program(of: process)
    if settings.contains(program) { return .settings }
    if process.isOfTerminal, commands.contains(program) { return .command }
    return fileManagers.contains(program) ? .fileManager : nil
  }

  /// - Parameters:
  ///   - choosers: of the processes that existed when the file was changed.
  ///   - types: the MIME types of all changed lines.
  package static func isChosenByUser(_ choosers: Set<Chooser>, changing types: [String]) -> Bool {
    if choosers.contains(.settings) || choosers.contains(.command) { return true }
    return choosers.contains(.fileManager) && !types.isEmpty
      && types.allSatisfy { !$0.hasPrefix("x-scheme-handler/") && !webPages.contains($0) }
  }

  private static func program(of process: Process) -> String {
    let file = process.executable.split(separator: "/").last.map(String.init) ?? ""
    let isInterpreter = shells.contains(file) || file.hasPrefix("python3")
    return isInterpreter ? scripts[process.name] ?? "" : file
  }

  private static let systemFolders = ["/usr/", "/bin/", "/nix/store/"]
  private static let shells: Set<String> = ["sh", "dash", "bash", "busybox"]

  private static let settings: Set<String> = [
    "gnome-control-center", "budgie-control-center", "dde-control-center", "cinnamon-settings",
    "io.elementary.settings", "systemsettings", "systemsettings5", "kcmshell5", "kcmshell6",
    "xfce4-mime-settings", "exo-preferred-applications", "lxqt-config-file-associations",
    "mate-default-applications-properties",
  ]
  private static let fileManagers: Set<String> = [
    "caja", "dolphin", "io.elementary.files", "nautilus", "nemo", "pcmanfm", "pcmanfm-qt", "thunar",
  ]
  private static let webPages: Set<String> = ["text/html", "application/xhtml+xml"]
  private static let commands: Set<String> = [
    "gio", "xdg-mime", "xdg-settings", "kwriteconfig5", "kwriteconfig6", "ed", "emacs", "hx",
    "joe", "kak", "mcedit", "micro", "nano", "nvim", "sed", "vi", "vim", "vim.basic", "vim.tiny",
  ]
  /// The programs that are scripts, by the names that the kernel keeps.
  private static let scripts = Dictionary(
    uniqueKeysWithValues: ["xdg-mime", "xdg-settings", "cinnamon-settings"].map {
      (String($0.prefix(15)), $0)
    })
}
