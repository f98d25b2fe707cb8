internal import Commands
internal import DesktopEntries
internal import Glibc
internal import Host
internal import LaunchRules
internal import PropertyLists

// Lists the desktop applications for the daemon.

extension DesktopTask {
  /// Writes the list as a binary property list to standard output. Needs no daemon.
  /// - Parameter silent: paths of entries that are left out.
  func list(without silent: Set<String>) throws(CommandFailure) {
    let folders = DesktopFolders(folders)
    if let fifo = fifo {
      throw CommandFailure(
        .failed,
        "\(fifo) is a FIFO, for which GIO would wait: remove it, so that the desktop applications can be read"
      )
    }
    let entries = folders.entries(without: silent)
    for (path, reason) in entries.unread.sorted(by: { $0.key < $1.key }) {
      output.complain("\(path) is ignored: \(reason)")
    }
    let files = folders.associationFiles(of: desktops)
    let list = list(
      entries, lists: files.compactMap { try? read($0) },
      caches: folders.applications.compactMap { try? read($0 + "/mimeinfo.cache") })
    try print(OwnPropertyList.encode(list)[...])
  }

  private func list(
    _ entries: DesktopFolders.Entries, lists: [[UInt8]], caches: [[UInt8]]
  ) -> DesktopApplicationList {
    // Also entries that only a list or a cache names.
    let hidden = HiddenEntries(entries.unreadIdentifiers, self.folders)
    defer { withExtendedLifetime(hidden) {} }
    var list = DesktopApplicationList(of: entries.identifiers, lists: lists, caches: caches)
    list.addPrograms(of: entries.paths, search: searchPath)
    return list
  }

  private func print(_ bytes: ArraySlice<UInt8>) throws(CommandFailure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw CommandFailure(.failed, "the list cannot be written") }
      rest = rest.dropFirst(count)
    }
  }

  /// The application with this desktop file ID; nil also for an entry for which GIO would wait, such as a FIFO.
  func application(_ identifier: String) -> DesktopApplication? {
    fifo == nil && DesktopFolders(folders).entries().identifiers.contains(identifier)
      ? DesktopApplication(identifier: identifier) : nil
  }

  /// The desktop file IDs of the applications that GIO may read; empty when GIO would wait for a list.
  var readableIdentifiers: Set<String> {
    fifo == nil ? Set(DesktopFolders(folders).entries().identifiers) : []
  }

  /// Prints why the entry is not used; nothing when it is used, and when there is none.
  func explainUnused(_ identifier: String) {
    if let sentence = sentence(onUnused: identifier) { output.print(sentence) }
  }

  /// The message that no application has the identifier.
  func unknownApplication(_ identifier: String) -> String {
    OpenFailure.notRegistered(identifier).sentence
      + (sentence(onUnused: identifier).map { "; \($0)" } ?? CommandFailure.listHint)
  }

  private func sentence(onUnused identifier: String) -> String? {
    if let fifo {
      return "the desktop entries are not read, because \(fifo) is a FIFO: replace or remove it"
    }
    let entries = DesktopFolders(folders).entries()
    if let index = entries.unreadIdentifiers.firstIndex(of: identifier) {
      let path = entries.unreadPaths[index]
      return "the desktop entry \(path) exists, but is not used: \(entries.unread[path] ?? "");"
        + " replace the file, or remove it"
    }
    return entries.identifiers.firstIndex(of: identifier).flatMap {
      UnusedEntry.sentence(identifier, entries.paths[$0])
    }
  }

  /// A list for which GIO would wait; nil for none.
  var fifo: String? { DesktopFolders(folders).fifos(of: desktops).first }

  /// The names in `XDG_CURRENT_DESKTOP`, as file names contain them.
  private var desktops: [String] {
    (ProcessArguments.environment("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":")
      .map { $0.lowercased() }.filter { !$0.contains("/") }
  }
}
