internal import Glibc

/// Reports until it is released that a path may lead to another file than before, or to none.
@MainActor package final class FileWatch {
  private let events: FolderEvents

  /// - Parameters:
  ///   - path: A path in an existing folder.
  ///   - seesWrites: whether a file that was written and closed is a change, too.
  ///   - changed: Called for each change of this name, and when the folder was removed or renamed.
  package init(
    _ path: String, seesWrites: Bool = false, changed: @escaping @MainActor () -> Void
  ) throws(Errno) {
    let name = path.split(separator: "/").last.map(String.init)
    events = try FolderEvents()
    var kinds = FolderEvent.Kinds.renaming.union(.folderMoved)
    if seesWrites { kinds.formUnion(.closedAfterWriting) }
    _ = try events.watch(parent(of: path), for: kinds)
    events.onPending = { [unowned events] in
      if events.next().contains(where: { $0.name == nil || $0.name == name }) { changed() }
    }
  }

  /// Reports each event of some entries of a folder, without delay.
  /// - Parameters:
  ///   - folder: an existing folder.
  ///   - isWatched: whether the entry of this name is watched.
  package init(
    entriesOf folder: String, where isWatched: @escaping @MainActor (String) -> Bool,
    changed: @escaping @MainActor () -> Void
  ) throws(Errno) {
    events = try FolderEvents()
    _ = try events.watch(
      folder, for: .renaming.union([.folderMoved, .modified, .closedAfterWriting]))
    events.onPending = { [unowned events] in
      if events.next().contains(where: { $0.name.map(isWatched) ?? true }) { changed() }
    }
  }

  /// Drops the events that were not reported yet.
  package func discardEvents() { _ = events.next() }
}
