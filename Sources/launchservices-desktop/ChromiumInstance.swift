internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchRules

/// The running instance of a Chromium browser, which the links in the folder of its profiles name.
struct ChromiumInstance {
  let process: ProcessDetails
  private let folder: String
  private let cookie: String
  private let socket: String

  /// Nil when the folder names no process of this machine. Any process of the user can write the links, so the process
  /// may be of another program.
  init?(folder: String) {
    guard let lock = Self.target(folder + "/" + ChromiumSingleton.lock),
      let pid = ChromiumSingleton.process(in: lock, host: Self.host),
      let cookie = Self.target(folder + "/" + ChromiumSingleton.cookie),
      let socket = Self.target(folder + "/" + ChromiumSingleton.socket),
      Self.isBeside(socket, cookie), let process = ProcessDetails(of: pid)
    else { return nil }
    self.process = process
    (self.folder, self.cookie, self.socket) = (folder, cookie, socket)
  }

  func send(
    _ subject: HandOverProtocol.Subject, within time: Duration
  ) async -> HandOverProtocol.Verdict {
    guard let message = ChromiumSingleton.message(for: subject) else { return .notTaken }
    var question: LocalSocketQuery?
    let verdict = await withCheckedContinuation { continuation in
      do throws(Errno) {
        question = try LocalSocketQuery(
          message, at: socket, .stream, atMost: 64, within: time,
          isTrusted: { $0 == process.pid && Self.isBeside(socket, cookie) }
        ) { continuation.resume(returning: ChromiumSingleton.verdict(on: $0)) }
      } catch {
        continuation.resume(returning: .notTaken)
      }
    }
    withExtendedLifetime(question) {}
    return verdict
  }

  /// Whether the number beside the socket is that of the folder, so that the socket is none of an earlier instance.
  private static func isBeside(_ socket: String, _ cookie: String) -> Bool {
    let place = socket.split(separator: "/").dropLast().joined(separator: "/")
    return target("/" + place + "/" + ChromiumSingleton.cookie) == cookie
  }

  /// The name of this machine, as Chromium writes it.
  private static var host: String {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      count = unsafe gethostname(start, buffer.count) == 0 ? strnlen(start, buffer.count) : 0
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func target(_ link: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: link)
  }
}
