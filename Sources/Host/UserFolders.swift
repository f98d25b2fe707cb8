internal import Glibc

/// The folders of a user, as in the XDG Base Directory Specification.
package struct UserFolders: Hashable, Sendable {
  package let home: String
  package let dataHome: String
  /// In order of precedence, after `dataHome`.
  package let dataDirs: [String]
  package let configHome: String
  /// In order of precedence, after `configHome`.
  package let configDirs: [String]
  package let stateHome: String
  package let cacheHome: String
  /// Nil when the session has none; the specification has no default.
  package let runtimeDir: String?

  /// All paths are absolute. As in the specification, an empty or relative variable is treated as missing.
  /// `accountHome` is used without a valid `HOME`.
  package init(
    environment: [String: String], accountHome: () -> String = UserFolders.accountHome
  ) {
    func folder(_ name: String) -> String? { environment[name].flatMap(Self.absolute) }
    let home = folder("HOME") ?? accountHome()
    let below = home == "/" ? "" : home
    self.home = home
    dataHome = folder("XDG_DATA_HOME") ?? below + "/.local/share"
    configHome = folder("XDG_CONFIG_HOME") ?? below + "/.config"
    stateHome = folder("XDG_STATE_HOME") ?? below + "/.local/state"
    cacheHome = folder("XDG_CACHE_HOME") ?? below + "/.cache"
    runtimeDir = folder("XDG_RUNTIME_DIR")

    dataDirs = Self.list(environment["XDG_DATA_DIRS"]) ?? ["/usr/local/share", "/usr/share"]
    configDirs = Self.list(environment["XDG_CONFIG_DIRS"]) ?? ["/etc/xdg"]
  }

  /// The absolute paths of a variable, each once; nil when there is none.
  private static func list(_ text: String?) -> [String]? {
    var seen: Set<String> = []
    let listed = (text ?? "").split(separator: ":").compactMap { absolute(String($0)) }
      .filter { seen.insert($0).inserted }
    return listed.isEmpty ? nil : listed
  }

  /// The home folder in the account database; `/` when there is none.
  package static func accountHome() -> String {
    guard let account = unsafe getpwuid(geteuid()), let home = unsafe account.pointee.pw_dir
    else { return "/" }
    return unsafe absolute(String(cString: home)) ?? "/"
  }

  /// The path without trailing slashes; nil when it is relative.
  private static func absolute(_ path: String) -> String? {
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    var path = path
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return path
  }
}
