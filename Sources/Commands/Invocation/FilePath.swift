package import DBus
internal import Glibc
internal import LaunchRules

/// Paths in command line arguments.
package enum FilePath {
  /// The folder for relative paths. If it was removed, a path at which nothing exists.
  package static func currentFolder() -> String {
    guard let folder = unsafe getcwd(nil, 0) else { return "/proc/self/cwd" }
    defer { unsafe free(folder) }
    return unsafe text(folder)
  }

  private static func text(_ name: UnsafePointer<CChar>) -> String {
    let bytes = unsafe UnsafeBufferPointer(start: name, count: strlen(name))
    return unsafe EscapedBytes.text(bytes.map { UInt8(bitPattern: $0) })
  }

  /// The bytes of the path for system calls.
  private static func name(_ path: String) -> [CChar] {
    EscapedBytes.bytes(path).map { CChar(bitPattern: $0) } + [0]
  }

  /// The absolute form of `path`, without `.`, `..` and double slashes. Symbolic links are kept, unless `..`
  /// follows one.
  package static func absolute(_ path: String, from folder: String) -> String {
    let whole = path.hasPrefix("/") ? path : folder + "/" + path
    let components = whole.split(separator: "/").filter { $0 != "." }
    if components.contains(".."), let real = unsafe realpath(name(whole), nil) {
      defer { unsafe free(real) }
      return unsafe text(real)
    }
    var kept: [Substring] = []
    for component in components {
      if component == ".." { _ = kept.popLast() } else { kept.append(component) }
    }
    // Not with `joined`; see `Output.print`.
    var absolute = ""
    for component in kept { absolute += "/" + String(component) }
    return absolute.isEmpty ? "/" : absolute
  }

  /// Whether the path leads to an accessible file or folder.
  package static func exists(_ path: String) -> Bool { unsafe access(name(path), F_OK) == 0 }

  /// Whether the absolute path is an application bundle: a folder with the suffix `.app`, regardless of its
  /// contents.
  package static func isApplication(_ path: String) -> Bool {
    var status = stat()
    guard path.hasSuffix(".app"), unsafe stat(name(path), &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  /// Fails when the file does not exist (R7.6).
  package static func requireFile(_ path: String) throws(CommandFailure) {
    guard unsafe access(name(path), F_OK) != 0 else { return }
    switch errno {
    case ENOENT, ENOTDIR: throw CommandFailure(.noSuchFile, "The file \(path) does not exist.")
    default:
      let reason = unsafe String(cString: strerror(errno))
      throw CommandFailure(.failed, "The file \(path) cannot be reached: \(reason)")
    }
  }

  /// The purpose of an open file.
  package enum Use {
    case reading
    /// Appends to the file, which is created if missing.
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
    let number = unsafe Glibc.open(name(path), flags | O_CLOEXEC | O_NOCTTY, 0o666)
    if number >= 0 { return OwnedDescriptor(adopting: number) }
    if errno == ENOENT, use == .reading {
      throw CommandFailure(.noSuchFile, "The file \(path) does not exist.")
    }
    let reason = unsafe String(cString: strerror(errno))
    throw CommandFailure(.failed, "The file \(path) cannot be opened: \(reason)")
  }

  /// The `file` URL of an absolute path.
  package static func url(_ path: String) -> String {
    DocumentURL.text(of: EscapedBytes.bytes(path))
  }
}
