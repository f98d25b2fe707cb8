internal import Host
internal import LaunchRules

/// The symbolic links among the desktop entries and the lists of defaults. Watches the files that they lead to, and
/// knows the links whose file systems do not answer.
final class DesktopLinks {
  private let folders: DesktopFolders
  private let journal: Journal
  /// The watches of the targets, by path; nil while they are not watched.
  private var targets: [String: FileWatch]?
  /// The links whose file systems do not answer.
  private var silent: Set<String> = []
  /// Whether the program, without these links, waited for a file system nevertheless. Each such process may stay.
  private var isHung = false

  /// Called after a change of a target, and when a file system answers again.
  var onChange: () -> Void = {}

  private nonisolated static let most = 256

  init(_ folders: DesktopFolders, _ journal: Journal) {
    self.folders = folders
    self.journal = journal
  }

  func startWatching() { targets = [:] }

  func stopWatching() { targets = nil }

  /// The options with which the program leaves out the silent links; nil when the program would wait for a file system
  /// all the same.
  var options: [String]? {
    // GIO would wait for a list.
    guard !isHung, silent.allSatisfy({ $0.hasSuffix(".desktop") }) else { return nil }
    return silent.sorted().map { "--\(DesktopBridge.withoutOption)=\($0)" }
  }

  /// Records that the program ran until it was killed.
  func programHung() { isHung = !silent.isEmpty }

  /// Finds the links, and asks their file systems.
  func update() async {
    let folders = folders
    let links = await Task.detached { folders.links(atMost: Self.most) }.value
    let ends = await FileSequence.answers(
      about: links[...], path: { $0 }, { SymbolicLink.end(of: $0) })
    // A change of such a file does not change the folder of the link.
    watch(Set(ends.compactMap { $0 ?? nil }))
    leaveOut(Set(zip(links, ends).filter { $0.1 == nil }.map(\.0)))
  }

  private func watch(_ paths: Set<String>) {
    guard let known = targets else { return }
    targets = known.filter { paths.contains($0.key) }
    for path in paths where known[path] == nil {
      targets?[path] = try? FileWatch(path, seesWrites: true) { [weak self] in self?.onChange() }
    }
  }

  /// Leaves out these links until their file systems answer.
  private func leaveOut(_ links: Set<String>) {
    for link in links.subtracting(silent).sorted() {
      journal.warning(
        "the file system of a desktop entry does not answer; the desktop entry is read when it does",
        ["path": link])
      UnansweredCalls.onAnswer(about: link) { [weak self] in
        Task { @MainActor in self?.onChange() }
      }
    }
    if silent != links { isHung = false }
    silent = links
  }
}
