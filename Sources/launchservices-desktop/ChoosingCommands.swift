internal import Commands
internal import Events
internal import Host
internal import LaunchRules

/// Looks at commands by which users choose applications, such as `gio mime`, when they are started: a command may have
/// ended when the guard sees what the command has written. `UserChoiceRule` decides which commands count.
final class ChoosingCommands {
  /// The processes that were seen, also those that have ended since; the last ones of many.
  private(set) var seen: [ProcessLook.Candidate] = []
  private let found: () -> Void
  private var watch: OpenWatch?
  /// The watched files.
  private var files: [String: FileIdentity] = [:]
  private var next: Deadline?
  /// The delays of the looks that follow, when nothing is found.
  private var delays = ChoosingCommands.delays[...]
  /// The number of looks that may follow at once, and the time of the last look, in monotonic microseconds.
  private var looks = (rest: mostLooks, last: UInt64(0))

  private static let mostSeen = 32
  /// The file is opened before the process has the command line of the new program.
  private static let delays = [1, 2, 4, 8, 16].map(Duration.milliseconds)
  /// Of a program that opens a file without end, a part is seen.
  private static let mostLooks: UInt64 = 100
  /// In microseconds.
  private static let leastPause: UInt64 = 50_000

  /// - Parameter found: called when another command was seen.
  init(found: @escaping () -> Void) {
    self.found = found
    watchFiles()
  }

  /// Forgets commands that ended before the last comparison of the lists.
  func forget(_ ended: [ProcessLook.Candidate]) { seen.removeAll(where: ended.contains) }

  /// Watches the present files: those of an updated package are other ones.
  func watchFiles() {
    let path = ProcessArguments.environment("PATH") ?? ""
    let folders = Set(path.split(separator: ":").map(String.init) + ["/usr/bin"])
    var present: [String: FileIdentity] = [:]
    for folder in folders where folder.hasPrefix("/") {
      for name in UserChoiceRule.commands {
        if let file = PromptFile.realPath("\(folder)/\(name)"), UserChoiceRule.mayChoose(file) {
          present[file] = PromptFile.identity(of: file)
        }
      }
    }
    guard present != files || watch == nil else { return }
    files = present
    watch = try? OpenWatch(files.keys.sorted()) { [weak self] in
      self?.delays = Self.delays[...]
      self?.look()
    }
  }

  private func look() {
    next = nil
    guard mayLook() else {
      // Without the watch, no event wakes this process in the meantime.
      watch = nil
      next = Deadline(after: .microseconds(Self.leastPause)) { [weak self] in
        self?.watchFiles()
        self?.look()
      }
      return
    }
    let new = ProcessLook.newestCommands().filter { !seen.contains($0) }
    if new.isEmpty, let delay = delays.popFirst() {
      next = Deadline(after: delay) { [weak self] in self?.look() }
    }
    guard !new.isEmpty else { return }
    seen = (seen + new).suffix(Self.mostSeen)
    found()
  }

  private func mayLook() -> Bool {
    let now = Time.monotonicMicroseconds()
    looks.rest = min(Self.mostLooks, looks.rest + (now - looks.last) / Self.leastPause)
    guard looks.rest > 0 else { return false }
    looks = (looks.rest - 1, now)
    return true
  }
}
