internal import Glibc

/// The standard streams of a new process, opened in this process so that an error can name the path.
struct SpawnFiles: ~Copyable, Sendable {
  private(set) var redirections: [(from: Int32, to: Int32)] = []
  private(set) var folder: Int32?

  private init() {}

  static func open(for launch: Launch) throws(SpawnError) -> SpawnFiles {
    let writing = O_WRONLY | O_CREAT | O_APPEND
    var files = SpawnFiles()
    try files.redirect(STDIN_FILENO, to: launch.standardInput, O_RDONLY)
    try files.redirect(STDOUT_FILENO, to: launch.standardOutput, writing)
    try files.redirect(STDERR_FILENO, to: launch.standardError, writing)
    if let path = launch.workingDirectory {
      files.folder = try Self.open(path, O_RDONLY | O_DIRECTORY)
    }
    return files
  }

  deinit {
    for redirection in redirections { close(redirection.from) }
    if let folder { close(folder) }
  }

  private mutating func redirect(
    _ number: Int32, to stream: Launch.Stream, _ flags: Int32
  ) throws(SpawnError) {
    switch stream {
    case .inherited: break
    case .nothing: redirections.append((try Self.open("/dev/null", flags), number))
    case .file(let path): redirections.append((try Self.open(path, flags), number))
    case .descriptor(let own):
      redirections.append((try Self.copy(own, "descriptor \(own)"), number))
    }
  }

  private static func open(_ path: String, _ flags: Int32) throws(SpawnError) -> Int32 {
    do throws(Errno) {
      // A FIFO without a reader or writer must not block this process.
      let opened = try Descriptor(opening: path, flags | O_NONBLOCK, mode: 0o600)
      // The new process expects blocking descriptors.
      _ = fcntl(opened.number, F_SETFL, flags & O_APPEND)
      return try Descriptor(duplicating: opened.number).release()
    } catch {
      throw .cannotOpen(path: path, error)
    }
  }

  /// A descriptor above 2, so that no redirection overwrites the source of another one.
  private static func copy(_ number: Int32, _ name: String) throws(SpawnError) -> Int32 {
    do throws(Errno) {
      return try Descriptor(duplicating: number).release()
    } catch {
      throw .cannotOpen(path: name, error)
    }
  }
}
