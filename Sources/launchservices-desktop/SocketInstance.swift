internal import DesktopEntries
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchRules

/// The running instance of an application that takes URLs at a Unix socket. Any process of the user can listen there, so
/// the process may be of another program.
struct SocketInstance {
  let process: ProcessDetails
  let path: String
  private let connection: LocalSocketConnection

  /// Connects to the socket. Nil when no process of this user listens there.
  init?(at path: String) {
    guard let connection = try? LocalSocketConnection(to: path, .stream),
      let process = ProcessDetails(of: connection.process)
    else { return nil }
    (self.connection, self.process, self.path) = (connection, process, path)
  }

  /// Connects to the socket whose name has the checksum of a folder. Nil when no process of this user listens there.
  /// - Parameter folder: see `HandOverTable.Place`.
  init?(of handOver: HandOverProtocol, _ folder: String, _ folders: UserFolders) {
    switch handOver {
    case .telegram:
      let path = folders.dataHome + "/" + folder
      let name = TelegramInstance.socketName(checksum: Checksum.md5(Array(path.utf8)))
      // Newer versions use the second folder.
      let places = ["/tmp", folders.runtimeDir].compactMap(\.self)
      guard let instance = places.lazy.compactMap({ Self(at: "\($0)/\(name)") }).first else {
        return nil
      }
      self = instance
    case .libreOffice:
      let url = DocumentURL.text(of: "\(folders.configHome)/\(folder)".utf8)
      let bytes = url.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
      let name = LibreOfficeInstance.socketName(user: getuid(), checksum: Checksum.md5(bytes))
      self.init(at: "/tmp/" + name)
    default: return nil
    }
  }

  /// Connects to the socket of the singleton of Chromium or Electron. Nil when the links in its folder name no process
  /// of this machine, or another one than that of the socket.
  init?(ofSingleton folder: String) {
    guard let lock = Self.target(folder + "/" + ChromiumSingleton.lock),
      let pid = ChromiumSingleton.process(in: lock, host: Self.host),
      let cookie = Self.target(folder + "/" + ChromiumSingleton.cookie),
      let socket = Self.target(folder + "/" + ChromiumSingleton.socket),
      Self.isBeside(socket, cookie)
    else { return nil }
    self.init(at: socket)
    guard process.pid == pid, Self.isBeside(socket, cookie) else { return nil }
  }

  func send(
    _ message: [UInt8], in handOver: HandOverProtocol, within time: Duration
  ) async -> HandOverProtocol.Verdict {
    var query: LocalSocketQuery?
    let answer: [UInt8]? = await withCheckedContinuation { continuation in
      do throws(Errno) {
        query = try LocalSocketQuery(
          message, on: connection, after: handOver.greeting, endsWriting: handOver.endsWriting,
          atMost: 64, within: time, isComplete: handOver.isComplete
        ) { continuation.resume(returning: $0) }
      } catch {
        continuation.resume(returning: nil)
      }
    }
    guard let query, query.isSent else { return .notTaken }
    return handOver.verdict(onMessage: answer)
  }

  /// Waits until a process that has ended closes the connection, which it does not read.
  func end(within time: Duration) async {
    var query: LocalSocketQuery?
    await withCheckedContinuation { continuation in
      do throws(Errno) {
        query = try LocalSocketQuery(
          [], on: connection, endsWriting: false, atMost: 1, within: time
        ) { _ in continuation.resume() }
      } catch {
        continuation.resume()
      }
    }
    withExtendedLifetime(query) {}
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
