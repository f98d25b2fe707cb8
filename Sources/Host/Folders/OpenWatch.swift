/// Reports until it is released that one of some files is opened, also to be executed.
@MainActor package final class OpenWatch {
  private let events: FolderEvents

  /// - Parameters:
  ///   - files: existing files; those that cannot be watched are left out.
  ///   - opened: called once for several events in a row. When a file is executed, the process may still have its former
  ///     program.
  package init(_ files: [String], opened: @escaping @MainActor () -> Void) throws(Errno) {
    // Programs can open a file so often that events are lost.
    events = try FolderEvents(sharesInstance: false)
    for file in files { _ = try? events.watch(file, for: .opened, isFolder: false) }
    events.onPending = { [unowned events] in if !events.next().isEmpty { opened() } }
  }
}
