internal import Glibc
internal import LaunchRules

/// The paths at which a daemon of another machine can be reached: at a path that the user gives, and when that is one of
/// a session of `lsopen ssh`, at those of the other sessions of the same remote. The user may have connected again, with a
/// new session, while an open waits.
struct RemotePlaces {
  private let path: String
  /// The path of the first connection, which the name that the user gives may no longer lead to.
  private var used: String?

  /// Maximum number of paths that are tried.
  private static let most = 8
  /// Maximum number of files that are looked at.
  private static let mostFiles = 1024

  init(_ path: String) { self.path = path }

  /// The paths, best first, and never those of another daemon than before.
  var candidates: [String] {
    let exact = used ?? Self.target(path)
    guard let slash = exact.lastIndex(of: "/"),
      let origin = ForwardedSocket.origin(ofName: String(exact[exact.index(after: slash)...]))
    else { return [exact] }
    let newest = Self.sockets(of: origin, in: String(exact[..<slash]))
    // A session that was cut may still accept connections.
    return used == nil ? [exact] + newest.filter { $0 != exact } : newest.isEmpty ? [exact] : newest
  }

  /// Keeps the daemon at this path for further connections.
  mutating func use(_ path: String) { if used == nil { used = path } }

  /// What a symbolic link names; the path itself if it is none.
  private static func target(_ path: String) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0 else { return path }
    let target = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return target.hasPrefix("/") ? target : path
  }

  /// The sockets of one origin, the newest first.
  private static func sockets(of origin: String, in folder: String) -> [String] {
    guard let listing = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(listing) }
    var found: [(made: Int64, path: String)] = []
    for _ in 0..<mostFiles {
      guard let entry = unsafe readdir(listing) else { break }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      guard ForwardedSocket.origin(ofName: name) == origin else { continue }
      var facts = stat()
      let path = "\(folder)/\(name)"
      guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK else { continue }
      let made = Int64(facts.st_ctim.tv_sec) * 1_000_000_000 + Int64(facts.st_ctim.tv_nsec)
      found.append((made, path))
    }
    return found.sorted { ($0.made, $0.path) > ($1.made, $1.path) }.prefix(most).map(\.path)
  }
}
