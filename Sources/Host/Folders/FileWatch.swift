internal import Glibc

/// Reports until it is released that a path may lead to another file than before, or to none.
@MainActor package final class FileWatch {
  private let events: FolderEvents

  /// - Parameters:
  ///   - path: A path in an existing folder.
  ///   - changed: Called for each change of this name, and when the folder was removed or renamed.
  package init(_ path: String, changed: @escaping @MainActor () -> Void) throws(Errno) {
    let name = path.split(separator: "/").last.map(String.init)
    events = try FolderEvents()
    _ = try events.watch(parent(of: path), for: .renaming.union(.folderMoved))
    events.onPending = { [unowned events] in
      if events.next().contains(where: { $0.name == nil || $0.name == name }) { changed() }
    }
  }
}
