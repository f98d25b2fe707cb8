/// Decides whether the user has made a change of the default applications.
///
/// Only the processes count that existed when the file was changed, because a program can write each line that the
/// settings of a desktop write. The change is the user's when one of these processes is
///
/// - a program of the desktop's settings, which runs only while its window is open, or
/// - a command that changes a list, such as `gio mime TYPE ID`, `xdg-mime default` and `xdg-settings set`, or a text
///   editor or a command such as `cp` with a list among its arguments or its open files, that the shell of a terminal
///   has started. A program that calls `xdg-mime` is the parent of `xdg-mime`, and is no shell that leads the session
///   of a terminal.
///
/// A file manager, which offers to open the files of a type with another application, runs all the time. Its process counts
/// only for a change of such types alone: not of schemes and web pages, which no file manager needs to change, and
/// which other programs take over.
///
/// The program must be in a folder that the user cannot write. For a script, which an interpreter runs, that is the path
/// of the script, and the file must be one of root: the name that the kernel keeps is that which the process wants.
///
/// A program of the user can still pass for the user. It can open a terminal of its own and lead the session there, start
/// one of these programs, trace one, or write its own command line: the command line is memory of the process. The user's
/// own editor with a list counts for all changes while the editor is open.
package enum UserChoiceRule {
  /// What the kernel knows about a process.
  package struct Process: Hashable, Sendable {
    /// The path of the executable file.
    let executable: String
    /// The command line, with the name of the program.
    let arguments: [String]
    /// The path, without symbolic links, of the script that an interpreter runs, by `scriptPath(in:)`; nil when the file
    /// belongs to another user than root, or others can write the file.
    let script: String?
    /// Whether the process or its parent leads the session of a terminal.
    let isOfTerminal: Bool
    /// Whether an open file of the process has the name of a list of associations in its name.
    let hasListOpen: Bool

    package init(
      executable: String, arguments: [String], script: String?, isOfTerminal: Bool,
      hasListOpen: Bool
    ) {
      (self.executable, self.arguments, self.script) = (executable, arguments, script)
      (self.isOfTerminal, self.hasListOpen) = (isOfTerminal, hasListOpen)
    }
  }

  /// A program by which users choose applications.
  package enum Chooser: Hashable, Sendable {
    case settings
    /// A command or a text editor, in a terminal.
    /// - Parameters:
    ///   - types: the MIME types that the command line names; nil when the command may change all lines.
    ///   - application: the desktop file ID that the command line names; nil for a command that may choose each.
    case command(types: Set<String>?, application: String? = nil)
    case fileManager

    /// Whether the program counts for a change that is seen after the end of the process: the command line tells which
    /// lines the process has changed, and how.
    package var countsAfterEnd: Bool {
      if case .command(let types?, let application?) = self {
        !types.isEmpty && !application.isEmpty
      } else {
        false
      }
    }
  }

  /// Whether a process with this executable file may be a chooser, so that the rest must be known.
  package static func mayChoose(_ executable: String) -> Bool {
    guard isOfSystem(executable) else { return false }
    let file = name(of: executable)
    return shells.contains(file) || settings.contains(file) || fileManagers.contains(file)
      || isCommand(file)
  }

  /// The script of an interpreter's command line; nil for a command line with options, for a relative path, and when
  /// the program is no interpreter.
  package static func scriptPath(in arguments: [String], of executable: String) -> String? {
    guard shells.contains(name(of: executable)), let path = arguments.dropFirst().first,
      path.hasPrefix("/")
    else { return nil }
    return path
  }

  /// Nil for a process of another program.
  package static func chooser(_ process: Process) -> Chooser? {
    var file = process.executable
    if shells.contains(name(of: file)) {
      guard isOfSystem(file), let script = process.script else { return nil }
      file = script
    }
    guard isOfSystem(file) else { return nil }
    let program = name(of: file)
    if settings.contains(program) { return .settings }
    if process.isOfTerminal, let command = command(program, process) { return command }
    return fileManagers.contains(program) ? .fileManager : nil
  }

  /// Whether the name of a file is that of a list of associations, or contains one: programs write a file of another
  /// name, and rename that file, and editors keep a copy.
  package static func mayBeList(_ name: some StringProtocol) -> Bool {
    name.contains("mimeapps.list") || name.contains("defaults.list")
  }

  private static func command(_ program: String, _ process: Process) -> Chooser? {
    let words = process.arguments.dropFirst(process.script == nil ? 1 : 2)
    // "gio mime TYPE" prints the applications.
    if let verb = verbs[program] {
      guard words.first == verb, words.count >= 3 else { return nil }
      let operands = words.dropFirst().filter { !$0.hasPrefix("-") }
      return .command(
        types: types(of: operands, program), application: application(of: operands, program))
    }
    let changesLists = process.hasListOpen || words.contains(where: mayBeList)
    return tools.contains(program) && changesLists ? .command(types: nil) : nil
  }

  /// The MIME types that a command changes.
  /// - Parameter operands: the words after the verb.
  private static func types(of operands: [String], _ program: String) -> Set<String> {
    switch (program, operands.first) {
    case ("gio", let type?): [type]
    case ("xdg-mime", _): Set(operands.dropFirst())
    case ("xdg-settings", "default-web-browser"): typesOfBrowsers
    case ("xdg-settings", "default-url-scheme-handler") where operands.count >= 2:
      [SchemeType.prefix + operands[1]]
    default: []
    }
  }

  /// The desktop file ID of the application that a command makes the default; "" when the command line names none.
  private static func application(of operands: [String], _ program: String) -> String {
    let operand = program == "xdg-mime" ? operands.first : operands.dropFirst().last
    return name(of: operand ?? "")
  }

  /// The changes of one write that the user has made.
  ///
  /// Of the lines that a command changes, those of the types that the command line names are the user's, if they only
  /// choose the application that it names: another program may have written the list at the same time, and the `xdg-settings set default-url-scheme-handler` of
  /// xdg-utils 1.1.3 changes `text/html`, too.
  /// - Parameter choosers: of the processes that existed when the list was written.
  package static func chosen(
    _ changes: [AssociationChange], by choosers: Set<Chooser>
  ) -> [AssociationChange] {
    if isOfAllLines(choosers) { return changes }
    let named = Set(changes.filter { change in choosers.contains { isNamed(change, by: $0) } })
    let rest = changes.filter { !named.contains($0) }
    let isOfFiles = rest.allSatisfy {
      !$0.type.hasPrefix(SchemeType.prefix) && !webPages.contains($0.type)
    }
    return choosers.contains(.fileManager) && isOfFiles
      ? changes : changes.filter(named.contains)
  }

  /// Whether changes between two writes may be those of one program that the user runs, when the same programs were seen
  /// at both writes.
  package static func isOneWrite(
    _ changes: @autoclosure () -> [AssociationChange], by choosers: Set<Chooser>
  ) -> Bool {
    guard choosers.contains(where: \.countsAfterEnd) else { return true }
    let changes = changes()
    return chosen(changes, by: choosers) == changes
  }

  private static func isNamed(_ change: AssociationChange, by chooser: Chooser) -> Bool {
    guard case .command(let types?, let application) = chooser, types.contains(change.type) else {
      return false
    }
    guard let application else { return true }
    let (before, after) = (change.applicationsBefore, change.applicationsAfter)
    let (othersBefore, othersAfter) = (
      before.filter { $0 != application }, after.filter { $0 != application }
    )
    return switch change.group {
    case AssociationChange.defaults:
      after.first == application && Set(othersAfter).isSubset(of: othersBefore)
    case AssociationChange.added: after.contains(application) && othersAfter == othersBefore
    case AssociationChange.removed: !after.contains(application) && othersAfter == othersBefore
    default: false
    }
  }

  /// Whether the user has made a change that may be one of all lines.
  package static func isOfAllLines(_ choosers: Set<Chooser>) -> Bool {
    choosers.contains(.settings) || choosers.contains(.command(types: nil))
  }

  /// The names of the programs with choosers that count after the end of the process.
  package static var commands: [String] { verbs.keys.sorted() }

  private static func isCommand(_ program: String) -> Bool {
    verbs[program] != nil || tools.contains(program)
  }

  private static func isOfSystem(_ path: String) -> Bool {
    systemFolders.contains(where: path.hasPrefix)
  }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }

  private static let systemFolders = ["/usr/", "/bin/", "/nix/store/"]
  private static let shells: Set<String> = ["sh", "dash", "bash", "busybox"]

  private static let settings: Set<String> = [
    "gnome-control-center", "budgie-control-center", "dde-control-center",
    "io.elementary.settings", "systemsettings", "systemsettings5", "kcmshell5", "kcmshell6",
    "xfce4-mime-settings", "exo-preferred-applications", "lxqt-config-file-associations",
    "mate-default-applications-properties",
  ]
  private static let fileManagers: Set<String> = [
    "caja", "dolphin", "io.elementary.files", "nautilus", "nemo", "pcmanfm", "pcmanfm-qt", "thunar",
  ]
  private static let webPages: Set<String> = ["text/html", "application/xhtml+xml"]
  private static let typesOfBrowsers = webPages.union(
    ["http", "https", "about", "unknown", "ftp"].map { SchemeType.prefix + $0 })
  /// The commands that change a list by their own means, with the argument that says so.
  private static let verbs = ["gio": "mime", "xdg-mime": "default", "xdg-settings": "set"]
  /// Editors and other commands, which change the files that they are told.
  private static let tools: Set<String> = [
    "kwriteconfig5", "kwriteconfig6", "chmod", "cp", "dd", "ed", "emacs", "hx", "install", "joe",
    "kak",
    "ln", "mcedit", "micro", "mv", "nano", "nvim", "rm", "sed", "tee", "vi", "vim", "vim.basic",
    "vim.tiny",
  ]
}
