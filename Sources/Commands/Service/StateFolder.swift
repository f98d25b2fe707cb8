internal import Glibc

/// The folder in which the daemon keeps its state; one daemon at a time has it.
struct StateFolder {
  private let path: String

  /// Nil where no folder is named.
  init?(environment: (String) -> String?) {
    func folder(_ name: String) -> String? {
      environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let state = folder("XDG_STATE_HOME") ?? folder("HOME").map({ $0 + "/.local/state" })
    else {
      return nil
    }
    path = state + "/launch-services"
  }

  static var ofProcess: StateFolder? { StateFolder(environment: ProcessArguments.environment) }

  /// Which daemon has the folder, and what to do about it; nil when none has.
  var holder: String? {
    let file = unsafe open(path + "/lock", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard flock(file, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe read(file, &bytes, bytes.count)
    let digits = bytes.prefix(max(0, count)).prefix {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
    let process = digits.isEmpty ? "" : ", process \(String(decoding: digits, as: UTF8.self)),"
    return
      "another launchservicesd\(process) on another session bus or on none, uses the state folder \(path): end"
      + " that one, or set XDG_STATE_HOME to another folder for one of them"
  }
}
