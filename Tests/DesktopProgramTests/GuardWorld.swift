import Commands
import Foundation
import Glibc
import Host
import LaunchRules
import TemporaryFolders

@testable import launchservices_desktop

/// The guard of defaults in folders of a test's own. What the guard sees is told by the test.
final class GuardWorld {
  static let before = """
    # mine
    [Default Applications]
    text/html=web.desktop
    x-scheme-handler/https = web.desktop

    """
  static let user: Set<UserChoiceRule.Chooser> = [.command(types: nil)]

  let folder: TemporaryFolder
  let task: DesktopTask
  private(set) var observed = ObservedWrites()
  private let lines: Lines

  /// What the guard has complained about.
  var log: [String] { lines.texts }

  private final class Lines {
    var texts: [String] = []
  }

  init(_ before: String = before) throws {
    let lines = Lines()
    self.lines = lines
    folder = try TemporaryFolder()
    let folders = UserFolders(environment: [
      "HOME": folder.path, "XDG_DATA_HOME": folder["home"], "XDG_DATA_DIRS": folder["all"],
      "XDG_CONFIG_HOME": folder["config"], "XDG_CONFIG_DIRS": folder["none"],
      "XDG_STATE_HOME": folder["state"], "XDG_RUNTIME_DIR": folder["runtime"],
    ])
    task = DesktopTask(
      service: Service { _, _ in [] }, output: Output(command: "guard") { lines.texts.append($1) },
      folders: folders, json: false)
    for name in ["web", "taker", "mine"] {
      try folder.write("", to: "home/applications/\(name).desktop")
    }
    try folder.makeFolder("all/applications")
    // GIO has the folders of this process, and is not asked when it would wait.
    guard unsafe mkfifo(folder["all/applications/mimeinfo.cache"], 0o600) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
    try folder.write(before, to: "config/mimeapps.list")
    try task.takeGuardSnapshot()
  }

  var list: String { folder["config/mimeapps.list"] }
  var contents: String? { try? String(contentsOfFile: list, encoding: .utf8) }

  /// The list with another default for web pages.
  static func pages(_ name: String) -> String {
    before.replacing("text/html=web", with: "text/html=\(name)")
  }

  /// Replaces the list.
  func write(_ text: String) throws {
    try folder.write(text, to: "config/new")
    guard unsafe rename(folder["config/new"], list) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// Replaces the list, and lets the guard look.
  func write(_ text: String, by choosers: Set<UserChoiceRule.Chooser>) throws {
    try write(text)
    look(choosers)
  }

  /// Replaces the list by what `make` makes at its path, and lets the guard look.
  func replace(_ make: (String) -> Int32) throws {
    unsafe unlink(list)
    guard make(list) == 0 else { throw CocoaError(.fileWriteUnknown) }
    look([])
  }

  /// Lets the guard look at the list.
  func look(_ choosers: Set<UserChoiceRule.Chooser>) {
    see("mimeapps.list", choosers)
  }

  /// Gives the guard an event of a file beside the list, or of the list.
  func see(
    _ name: String, _ choosers: Set<UserChoiceRule.Chooser>, isWritten: Bool = true,
    renaming: FileWatch.Renaming? = nil
  ) {
    observed.add(
      [.init(name: name, isWritten: isWritten, renaming: renaming)], in: folder["config"],
      at: Time.microsecondsSinceBoot(), { _ in ProcessWitness(choosers: choosers) },
      contents: { try? self.task.listContents($0) })
  }

  /// Gives the guard an event of the file `list` in a folder, to which the link of the list leads.
  func see(
    targetIn folder: String, _ choosers: Set<UserChoiceRule.Chooser>, isWritten: Bool = true
  ) {
    observed.add(
      [.init(name: "list", isWritten: isWritten, renaming: nil)], in: self.folder[folder],
      at: Time.microsecondsSinceBoot(), links: ["list": [list]],
      { _ in ProcessWitness(choosers: choosers) },
      contents: { try? self.task.listContents($0) })
  }

  @discardableResult func check(_ policy: DefaultsGuardPolicy = .restore) throws -> GuardCheck {
    let check = try task.checkDefaults(policy, observed)
    observed.keep(Set(check.failures.keys))
    return check
  }

  func records() throws -> [GuardRecord] { try task.guardFolder.records() }

  /// Makes all records older than a minute.
  func passTime() throws {
    for var record in try records() {
      record.seen = 0
      try task.guardFolder.write(record)
    }
  }
}
