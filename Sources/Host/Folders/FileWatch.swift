internal import Events

/// Tells when a name may lead to another file than before, or to none, until it is dropped.
@MainActor package final class FileWatch {
  private let events: FolderEvents
  private var watch: DescriptorWatch?

  /// - Parameters:
  ///   - path: in a folder that is there.
  ///   - changed: called for each turn of this name, and when the folder has gone or has another path.
  package init(_ path: String, changed: @escaping @MainActor () -> Void) throws(Errno) {
    events = try FolderEvents()
    let name = path.split(separator: "/").last.map(String.init)
    _ = try events.watch(parent(of: path), for: .renaming.union(.folderMoved))
    watch = DescriptorWatch(closing: try events.duplicateDescriptor().release()) { [weak self] in
      guard let self else { return }
      if events.next().contains(where: { $0.name == nil || $0.name == name }) { changed() }
    }
  }
}
