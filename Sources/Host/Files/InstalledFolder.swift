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

  /// A folder that is installed with a program: in `share` beside the folder of the program or beside a folder around it,
  /// or in `systemd/share` of the source tree in which the program was built. Nil when there is none.
  /// - Parameters:
  ///   - name: the path in `share`.
  ///   - programs: the absolute path of the folder of the program.
  package static func shared(_ name: String, with programs: String) -> String? {
    var folder = programs[...]
    while let end = folder.lastIndex(of: "/") {
      folder = folder[..<end]
      let places = ["share", "systemd/share"].map { "\(folder)/\($0)/\(name)" }
      if let found = places.first(where: { FileIdentity(path: $0) != nil }) { return found }
    }
    return nil
  }
}
