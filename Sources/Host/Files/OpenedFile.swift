internal import CHost
internal import Glibc

/// The kind of file at a path.
package enum FileKind: Hashable, Sendable {
  case file(isExecutable: Bool)
  case folder
  /// A FIFO, a socket or a device.
  case special
  case unreachable(Unopened)

  /// The kind of the target of all symbolic links. Does not block on a FIFO.
  init(at path: [UInt8]) {
    switch OpenedFile.status(of: path, openingWith: nil) {
    case .failure(let why): self = .unreachable(why)
    case .success(let (_, status)):
      switch status.st_mode & S_IFMT {
      case S_IFREG: self = .file(isExecutable: status.st_mode & 0o111 != 0)
      case S_IFDIR: self = .folder
      default: self = .special
      }
    }
  }
}

/// Why a file was not opened.
package enum Unopened: Error, Hashable, Sendable, CustomStringConvertible {
  case errno(Errno)
  /// The content depends on the reading process and may be this process's own.
  case partOfTheKernel
  /// No thread could be started for the access.
  case noThread(Errno)

  package var description: String {
    switch self {
    case .errno(let errno): errno.description
    case .noThread(let errno): "the daemon could not start a thread to look at it: \(errno.ofStart)"
    case .partOfTheKernel: "it is not a document, but a part of the kernel's /proc or /sys"
    }
  }
}

/// A file that is open for reading until the last reference is released.
package final class OpenedFile: Sendable {
  package let number: Int32

  private init(adopting number: Int32) { self.number = number }

  deinit { close(number) }

  /// Opens a regular file or a folder; fails for other kinds.
  static func open(_ path: [UInt8]) -> Result<OpenedFile, Unopened> {
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
    return status(of: path, openingWith: flags).flatMap { file, status in
      guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
        return .failure(.errno(Errno(EINVAL)))
      }
      // The receiver expects a blocking descriptor.
      _ = fcntl(file.number, F_SETFL, 0)
      return .success(file)
    }
  }

  /// - Parameter flags: Nil to locate the file without opening it.
  fileprivate static func status(
    of path: [UInt8], openingWith flags: Int32?
  ) -> Result<(OpenedFile, stat), Unopened> {
    let number = unsafe (path + [0]).withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) {
        if let flags {
          unsafe chost_open_document($0.baseAddress!, flags)
        } else {
          unsafe chost_find_document($0.baseAddress!)
        }
      }
    }
    guard number != -2 else { return .failure(.partOfTheKernel) }
    guard number >= 0 else { return .failure(.errno(.last)) }
    let file = OpenedFile(adopting: number)
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { return .failure(.errno(.last)) }
    return .success((file, status))
  }

  /// A duplicate, closed on exec, that the caller closes.
  package func copy() throws(Unopened) -> Int32 {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw .errno(.last) }
    return copy
  }
}
