internal import Events

/// Reports until it is released that programs may have appeared, ended, or become executable.
@MainActor package final class ProgramWatch {
  private let events: FolderEvents
  /// The names in a watched folder that count; nil for all.
  private var names: [Int32: Set<String>?] = [:]
  private let changed: @MainActor () -> Void
  private var deadline: Deadline?
  /// The maximum number of watched folders.
  private static let mostFolders = 128
  /// Many programs change at once when a package is installed.
  private static let delay: Duration = .milliseconds(200)
  private static let kinds: FolderEvent.Kinds = [
    .created, .deleted, .movedHere, .movedAway, .attributesChanged, .folderMoved,
  ]

  /// - Parameters:
  ///   - programs: absolute paths. The nearest folder that exists is watched.
  ///   - folders: folders of which all programs count.
  package init(
    programs: [String], folders: [String], changed: @escaping @MainActor () -> Void
  ) throws(Errno) {
    events = try FolderEvents()
    self.changed = changed
    for folder in folders { watch(folder, nil) }
    for program in programs {
      var path = program
      while path != "/" {
        let folder = Self.parent(of: path)
        if watch(folder, path.split(separator: "/").last.map(String.init)) { break }
        path = folder
      }
    }
    events.onPending = { [weak self] in self?.drain() }
  }

  /// - Parameter name: nil for all names.
  /// - Returns: false when the folder does not exist.
  @discardableResult private func watch(_ folder: String, _ name: String?) -> Bool {
    guard names.count < Self.mostFolders else { return true }
    guard let watch = try? events.watch(folder, for: Self.kinds) else { return false }
    if let name, let known = names[watch, default: []] {
      names[watch] = known.union([name])
    } else {
      names[watch] = .some(nil)
    }
    return true
  }

  private static func parent(of path: String) -> String {
    "/" + path.split(separator: "/").dropLast().joined(separator: "/")
  }

  private func drain() {
    let concerns = events.next().contains { event in
      guard let name = event.name, let wanted = names[event.watch] ?? nil else { return true }
      return wanted.contains(name)
    }
    guard concerns, deadline == nil else { return }
    deadline = Deadline(after: Self.delay) { [weak self] in
      self?.deadline = nil
      self?.changed()
    }
  }
}
