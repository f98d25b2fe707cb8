internal import Glibc

/// The location of the daemon's installation.
package enum InstalledFolder {
  /// The folder of the daemon's executable.
  package static let programs: String? = ProcessDetails(of: getpid())?.executable.flatMap {
    executable in
    executable.path.lastIndex(of: "/").map { String(executable.path[..<$0]) }
  }

  /// The folder `share` beside the folder of the executable. It need not be listed in `XDG_DATA_DIRS`,
  /// because its files are installed with the daemon.
  package static let data: String? = programs.flatMap { programs in
    programs.hasSuffix("/bin") ? programs.dropLast(3) + "share" : nil
  }
}
