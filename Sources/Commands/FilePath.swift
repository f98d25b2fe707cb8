package import DBus
internal import Glibc
internal import LaunchRules

/// Paths as people write them in arguments.
package enum FilePath {
  /// The folder relative paths begin at. When it was removed, a path in which nothing exists.
  package static func currentFolder() -> String {
    guard let folder = unsafe getcwd(nil, 0) else { return "/proc/self/cwd" }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder)
  }

  /// `path` from the root, without `.`, `..` and doubled slashes. Symbolic links stay, unless `..`
  /// has to be looked up behind one.
  package static func absolute(_ path: String, from folder: String) -> String {
    let whole = path.hasPrefix("/") ? path : folder + "/" + path
    let components = whole.split(separator: "/").filter { $0 != "." }
    if components.contains(".."), let real = unsafe realpath(whole, nil) {
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }
    var kept: [Substring] = []
    for component in components {
      if component == ".." { _ = kept.popLast() } else { kept.append(component) }
    }
    return "/" + kept.joined(separator: "/")
  }

  /// The same of a path that need not be UTF-8, as it is written.
  static func absolute(_ path: [UInt8]) -> [UInt8] {
    guard path.first != UInt8(ascii: "/") else { return path }
    guard let folder = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(folder) }
    let bytes = unsafe (0..<strlen(folder)).map { unsafe UInt8(bitPattern: folder[Int($0)]) }
    return bytes + [UInt8(ascii: "/")] + path
  }

  /// Fails when nothing is there (R7.6).
  package static func requireFile(_ path: String) throws(CommandFailure) {
    guard unsafe access(path, F_OK) != 0 else { return }
    switch errno {
    case ENOENT, ENOTDIR: throw CommandFailure(.noSuchFile, "The file \(path) does not exist.")
    default:
      let reason = unsafe String(cString: strerror(errno))
      throw CommandFailure(.failed, "The file \(path) cannot be reached: \(reason)")
    }
  }

  /// What an open file is for.
  package enum Use {
    case reading
    /// What is written comes after what is there; a file that is missing is created.
    case adding
  }

  /// Opens the file at an absolute path.
  package static func open(
    _ path: String, for use: Use
  ) throws(CommandFailure) -> OwnedDescriptor {
    let flags =
      switch use {
      case .reading: O_RDONLY
      case .adding: O_WRONLY | O_CREAT | O_APPEND
      }
    let number = unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOCTTY, 0o666)
    if number >= 0 { return OwnedDescriptor(adopting: number) }
    if errno == ENOENT, use == .reading {
      throw CommandFailure(.noSuchFile, "The file \(path) does not exist.")
    }
    let reason = unsafe String(cString: strerror(errno))
    throw CommandFailure(.failed, "The file \(path) cannot be opened: \(reason)")
  }

  /// The `file` URL of an absolute path.
  package static func url(_ path: String) -> String {
    DocumentURL.text(of: path.utf8)
  }
}
