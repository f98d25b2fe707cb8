extension ProcessDetails {
  /// The paths of the open files. Empty for a process that has ended, or whose files this process may not see, as
  /// in another user namespace.
  package var openFiles: [String] {
    let folder = "/proc/\(pid)/fd"
    let names = (try? FolderListing(of: folder, isSorted: false))?.names ?? []
    return names.compactMap { SymbolicLink.target(of: "\(folder)/\($0)") }
  }
}
