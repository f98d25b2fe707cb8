internal import Host

/// Reports changes in the folders of desktop entries and of lists of defaults, and in the folders in those.
final class DesktopFolderWatch {
  private let folders: DesktopFolders
  private let onChange: () -> Void
  private let outer: DirectoryWatch
  /// The watch of the folders in the folders of desktop entries, and what it watches.
  private var inner: (watch: DirectoryWatch, paths: Set<String>)?

  /// The maximum number of folders in folders. Changes in further ones are noticed with the next change elsewhere.
  private nonisolated static let most = 128

  /// - Parameter onChange: called after each change; call `update` then.
  init(_ folders: DesktopFolders, onChange: @escaping () -> Void) throws(Errno) {
    self.folders = folders
    self.onChange = onChange
    outer = try Self.watch(folders.all, onChange)
  }

  /// Watches the folders in folders that exist now. Read the entries after this call, so that no change is missed.
  func update() async {
    let folders = folders
    let paths = await Task.detached { Set(folders.subfolders(atMost: Self.most)) }.value
    guard paths != inner?.paths ?? [] else { return }
    inner = paths.isEmpty ? nil : (try? Self.watch(paths.sorted(), onChange)).map { ($0, paths) }
  }

  private static func watch(
    _ folders: [String], _ onChange: @escaping () -> Void
  ) throws(Errno) -> DirectoryWatch {
    try DirectoryWatch(folders: folders, seesSubfolders: true) { change in
      if concernsDesktop(change) { onChange() }
    }
  }

  private static func concernsDesktop(_ change: DirectoryWatch.Change) -> Bool {
    !change.folders.isEmpty
      || change.applications.contains {
        $0.hasSuffix(".desktop")
          || DesktopFolders.isRead(String($0.split(separator: "/").last ?? ""))
      }
  }
}
