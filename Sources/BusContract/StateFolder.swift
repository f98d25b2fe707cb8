internal import Glibc

/// The folder with the state of the daemon. One daemon at a time uses it.
package struct StateFolder {
  package let path: String

  /// Nil when the environment determines no folder.
  package init?(environment: (String) -> String?) {
    func folder(_ name: String) -> String? {
      environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let state = folder("XDG_STATE_HOME") ?? folder("HOME").map({ $0 + "/.local/state" })
    else {
      return nil
    }
    path = state + "/launch-services"
  }

  /// The process of the daemon that uses the folder; nil without one.
  package var ownerProcess: UInt32? {
    let file = unsafe open(path + "/lock", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard flock(file, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    return UInt32(Self.digits(in: file))
  }

  /// The number of the process at the start of the lock.
  private static func digits(in file: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe read(file, &bytes, bytes.count)
    let digits = bytes.prefix(max(0, count)).prefix {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// A sentence about the daemon that uses the folder, with a remedy; nil without one.
  package var owner: String? {
    let file = unsafe open(path + "/lock", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard flock(file, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    let digits = Self.digits(in: file)
    let process = digits.isEmpty ? "" : ", process \(digits),"
    return
      "a launchservicesd\(process) that is not on this session bus uses the state folder \(path): if it was started"
      + " just now, repeat the command; otherwise end it, or set XDG_STATE_HOME to another folder for one daemon"
  }
}
