internal import CHost
internal import Glibc

/// An error number of Linux and its description.
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  /// The error of the last system call on this thread; read it before the next call.
  static var last: Errno { Errno(errno) }

  package static let noSuchFile = Errno(ENOENT)
  package static let timedOut = Errno(ETIMEDOUT)
  package static let notAFolder = Errno(ENOTDIR)
  package static let noSuchProcess = Errno(ESRCH)
  package static let wouldWait = Errno(EWOULDBLOCK)
  package static let noSpace = Errno(ENOSPC)
  package static let notPermitted = Errno(EPERM)
  package static let accessDenied = Errno(EACCES)

  /// The limit of the user's processes and threads is reached.
  package static let noMoreTasks = Errno(EAGAIN)

  /// The reason why no process or thread was started, with a remedy.
  package var ofStart: String {
    guard self == .noMoreTasks else { return description }
    return
      "\(self): this user has as many processes and threads as allowed (RLIMIT_NPROC, or TasksMax of a unit);"
      + " end some, or raise the limit"
  }

  /// Such as `No such file or directory (error 2)`.
  package var description: String {
    guard let text = unsafe chost_error_text(number) else { return "error \(number)" }
    return unsafe "\(String(cString: text)) (error \(number))"
  }
}
