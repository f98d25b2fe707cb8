internal import Commands
internal import Glibc
internal import LaunchRules

/// Performs `lsopen --await-callback PORT (once | closed)`, which the machine of the user runs here by ssh: waits until the
/// port is no longer needed at which a program of this machine waits for the end of a login.
struct CallbackPort {
  static let option = RemoteShell.awaitCallback

  private let port: UInt16
  private let endsWithAnswer: Bool

  /// Nil unless the arguments are those of this call.
  init?(_ arguments: [String]) {
    guard arguments.count == 3, arguments[0] == Self.option, let port = UInt16(arguments[1]),
      let end = RemoteShell.CallbackEnd(rawValue: arguments[2])
    else { return nil }
    self.port = port
    endsWithAnswer = end == .once
  }

  /// Also ends when the connection does, by the end of standard input.
  func run() -> ExitCode {
    var watch = PortWatch(endsWithAnswer: endsWithAnswer)
    while true {
      guard let table = Self.table() else { return .failed }
      guard watch.verdict(after: PortWatch.Look(table, port: port)) == .wait else {
        return .success
      }
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&input, 1, Int32(PortWatch.interval)) == 0 else { return .failed }
    }
  }

  /// The TCP sockets of this machine; nil where the kernel does not list them.
  private static func table() -> [Substring]? {
    guard let first = contents(of: "/proc/net/tcp") else { return nil }
    return first.split(separator: "\n")
      + (contents(of: "/proc/net/tcp6") ?? "").split(separator: "\n")
  }

  /// Maximum size of a table, in bytes: some ten thousand sockets.
  private static let longest = 8 << 20

  private static func contents(of path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < longest {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe read(file, $0.baseAddress, $0.count)
      }
      if count <= 0 { break }
      bytes += piece.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
