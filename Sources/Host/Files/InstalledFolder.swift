internal import Glibc

/// Where the daemon is installed.
package enum InstalledFolder {
  /// The folder of its executable.
  package static let programs: String? = ProcessDetails(of: getpid())?.executable.flatMap {
    executable in
    executable.path.lastIndex(of: "/").map { String(executable.path[..<$0]) }
  }

  /// The `share` beside its `bin`, which need not be in `XDG_DATA_DIRS`: what lies there came with
  /// the daemon itself.
  package static let data: String? = programs.flatMap { programs in
    programs.hasSuffix("/bin") ? programs.dropLast(3) + "share" : nil
  }
}
