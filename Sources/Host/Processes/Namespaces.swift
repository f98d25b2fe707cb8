internal import Glibc

extension ProcessDetails {
  /// The names of the namespaces of the process that differ from those of this process. A namespace that cannot be read
  /// counts as different.
  /// - Parameter names: names in `/proc/PID/ns`.
  package func otherNamespaces(among names: [String]) -> [String] {
    guard let folder = try? Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY) else {
      return names
    }
    return names.filter { name in
      guard let own = FileIdentity(path: "/proc/self/ns/\(name)") else { return false }
      var status = stat()
      return unsafe fstatat(folder.number, "ns/\(name)", &status, 0) != 0
        || FileStamp(status).identity != own
    }
  }

  /// Whether the root folder of the process is not that of this process, so that paths mean different files.
  package var hasOtherRoot: Bool {
    guard let own = FileIdentity(path: "/"),
      let folder = try? Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY)
    else { return true }
    return FileIdentity(remembered: "root", in: folder.number) != own
  }
}
