/// Why a file or folder could not be read or written.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Problem: Hashable, Sendable {
    /// The operation that failed, such as "open", and the error.
    case cannot(String, Errno)
    /// The kind of the file, such as "a folder".
    case notARegularFile(String)
    /// The path is not a folder, or other users may access it.
    case notAPrivateFolder
    /// The limit in bytes.
    case tooLarge(limit: Int)
    /// The limit in names.
    case tooManyEntries(limit: Int)
  }

  package let path: String
  package let problem: Problem

  package init(_ path: String, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }

  /// Performs an operation on the file; `verb` names it in the error.
  static func explaining<Result: ~Copyable>(
    _ verb: String, _ path: String, _ step: () throws(Errno) -> Result
  ) throws(FileError) -> Result {
    do throws(Errno) {
      return try step()
    } catch {
      throw FileError(path, .cannot(verb, error))
    }
  }

  /// The error of the system call, if one failed.
  package var errno: Errno? {
    guard case .cannot(_, let errno) = problem else { return nil }
    return errno
  }

  /// A sentence without its full stop that begins with the path.
  package var description: String {
    switch problem {
    case .cannot(let verb, let errno): "\(path): cannot \(verb) it: \(errno)"
    case .notARegularFile(let kind): "\(path): it is \(kind), but a regular file is needed"
    case .notAPrivateFolder:
      "\(path): it is not a folder of this user's alone; make it so with mode 700"
    case .tooLarge(let limit): "\(path): it is larger than the limit of \(limit) bytes"
    case .tooManyEntries(let limit): "\(path): it contains more than the limit of \(limit) names"
    }
  }
}
