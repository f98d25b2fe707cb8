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

  /// An event of an entry of a folder.
  package struct Event: Hashable, Sendable {
    /// Nil when the folder was removed or renamed, and when events were lost.
    package let name: String?
    /// Whether the entry may have its final contents now: a file was written and closed, or the name leads to another file,
    /// to none, or to something else than a file; or its permissions have changed.
    package let isWritten: Bool
    /// The renaming of which this is an event; nil for another event.
    package let renaming: Renaming?

    /// Whether the name was removed or renamed.
    package let isGone: Bool

    package init(
      name: String?, isWritten: Bool, isGone: Bool = false, renaming: Renaming? = nil
    ) {
      (self.name, self.isWritten) = (name, isWritten)
      (self.isGone, self.renaming) = (isGone, renaming)
    }
  }

  /// One of the two events of a renaming, with the number that both have.
  package enum Renaming: Hashable, Sendable {
    /// Of the former name.
    case from(UInt32)
    /// Of the new name.
    case to(UInt32)
  }

  /// Reports each event of some entries of a folder, without delay.
  /// - Parameters:
  ///   - folder: an existing folder.
  ///   - isWatched: whether the entry of this name is watched.
  package init(
    entriesOf folder: String, where isWatched: @escaping @MainActor (String) -> Bool,
    changed: @escaping @MainActor ([Event]) -> Void
  ) throws(Errno) {
    events = try FolderEvents()
    _ = try events.watch(
      folder,
      for: .renaming.union([.folderMoved, .modified, .closedAfterWriting, .attributesChanged]))
    events.onPending = { [unowned events] in
      let found = events.next().filter { $0.name.map(isWatched) ?? true }
      if !found.isEmpty { changed(found.map { Event($0, in: folder) }) }
    }
  }

  /// Reports the events that were not reported yet, at once.
  package func reportEvents() { events.onPending?() }
}

extension FileWatch.Event {
  fileprivate init(_ event: FolderEvent, in folder: String) {
    name = event.name
    isGone = !event.kinds.isDisjoint(with: [.movedAway, .deleted])
    renaming =
      event.kinds.contains(.movedAway)
      ? .from(event.renaming) : event.kinds.contains(.movedHere) ? .to(event.renaming) : nil
    if event.kinds.isDisjoint(with: [
      .movedHere, .movedAway, .deleted, .closedAfterWriting, .attributesChanged,
    ]) {
      // A file is written after this event; a link or a folder is not.
      let status = event.name.flatMap { try? look(at: "\(folder)/\($0)", followingLink: false) }
      isWritten =
        event.kinds.contains(.created) && (status?.st_mode ?? S_IFREG) & S_IFMT != S_IFREG
    } else {
      isWritten = true
    }
  }
}
