import Foundation
import Glibc
import Synchronization
import Testing

@testable import DBus
@testable import DBusMainLoop

/// A socket where others connect with no bus between.
@Suite("Listeners", .timeLimit(.minutes(30)))
struct ListenerTests {
  private static let patience = Duration.seconds(300)

  /// A socket that is connected to the path; nil when nothing listens there.
  private nonisolated static func connected(to path: String) -> Int32? {
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    if isConnected { return client }
    close(client)
    return nil
  }

  /// The first bytes of the answer to a line.
  private nonisolated static func answer(to line: String, on client: Int32) -> String {
    unsafe write(client, line, line.utf8.count)
    var state = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&state, 1, 300_000) == 1 else { return "no answer" }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(client, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).prefix(2), as: UTF8.self)
  }

  /// Writes a line of the handshake in two pieces, and waits for the answer.
  /// - Parameter pause: between the pieces, in turns of a loop.
  private nonisolated static func answer(at path: String, pause: Int) -> String {
    guard let client = connected(to: path) else { return "not connected" }
    defer { close(client) }
    let user = Array(String(getuid()).utf8).map { String($0, radix: 16) }.joined()
    unsafe write(client, "\0", 1)
    for _ in 0..<pause { sched_yield() }
    return answer(to: "AUTH EXTERNAL \(user)\r\n", on: client)
  }

  @Test("A handshake is answered, in however many pieces and whenever it comes")
  @MainActor func handshake() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/ls-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var sessions: [BusSession] = []
    let listener = try Listener(path: folder + "/socket") {
      ":direct.1"
    } accept: { connection, _ in
      let session = BusSession(connection)
      sessions.append(session)
      session.start()
    }
    for round in 0..<5000 {
      let answer = await Task.detached {
        Self.answer(at: folder + "/socket", pause: round % 500)
      }.value
      try #require(answer == "OK", "round \(round)")
      sessions = []
    }
    withExtendedLifetime(listener) {}
  }

  @Test("Connections and their handshakes are no faster than the pace allows")
  @MainActor func pace() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/ls-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let pause = Duration.milliseconds(20)
    var sessions: [BusSession] = []
    var due = ContinuousClock.now
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    var arrival = arrivals.makeAsyncIterator()
    var listener: Listener?
    listener = try Listener(path: folder + "/socket") {
      ":direct.1"
    } accept: { connection, _ in
      #expect(ContinuousClock.now >= due)
      let session = BusSession(connection)
      session.pace = { _ in pause }
      sessions.append(session)
      session.start()
      due = .now + pause
      listener?.pause(for: pause)
      arrived.yield()
    }
    let path = folder + "/socket"
    let clients = try (0..<3).map { _ in try #require(Self.connected(to: path)) }
    defer { for client in clients { close(client) } }
    for _ in clients { await arrival.next() }
    // A handshake that does not come to an end.
    let client = clients[0]
    unsafe write(client, "\0", 1)
    let start = ContinuousClock.now
    for _ in 1...5 {
      let answer = await Task.detached { Self.answer(to: "NOTHING\r\n", on: client) }.value
      #expect(answer == "ER")
    }
    #expect(ContinuousClock.now >= start + pause * 4)
    listener = nil
  }

  /// Puts a symbolic link in the place of each socket that appears at the path, as a process can that may write to the
  /// folder, such as one in a container. A thread for itself, because the time for this is short.
  private nonisolated final class Swapper: Sendable {
    private let isEnded = Atomic(false)
    private let swaps = Atomic(0)
    var count: Int { swaps.load(ordering: .sequentiallyConsistent) }

    init(_ path: String, target: String) {
      Thread { [self] in
        let link = path + "-link"
        while !isEnded.load(ordering: .sequentiallyConsistent) {
          unsafe symlink(target, link)
          var status = stat()
          while unsafe lstat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFSOCK {
            if isEnded.load(ordering: .sequentiallyConsistent) { return }
            sched_yield()
          }
          if unsafe rename(link, path) == 0 { swaps.add(1, ordering: .sequentiallyConsistent) }
        }
      }.start()
    }

    func end() { isEnded.store(true, ordering: .sequentiallyConsistent) }
  }

  @Test("change no other file when a process of the folder swaps a link in while they are made")
  @MainActor func swappedLink() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/ls-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (path, other) = (folder + "/socket", folder + "/other")
    close(unsafe open(other, O_WRONLY | O_CREAT, 0o640))
    try #require(unsafe chmod(other, 0o640) == 0)
    let swapper = Swapper(path, target: other)
    defer { swapper.end() }
    func check(_ round: Int) throws {
      var status = stat()
      try #require(unsafe stat(other, &status) == 0)
      try #require(status.st_mode & 0o777 == 0o640, "round \(round)")
    }
    for round in 0..<20 {
      let before = swapper.count
      let listener = try? Listener(path: path) {
        nil
      } accept: { _, _ in
      }
      try check(round)
      // Each socket is swapped, during its making or afterwards. Other tests need this thread, too.
      while listener != nil, swapper.count == before {
        try await Task.sleep(for: .milliseconds(1))
      }
      try check(round)
      listener?.stop()
      unsafe unlink(path)
    }
  }

  @Test("only this user may connect, whatever the umask says") @MainActor func mode() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/ls-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let listener = try Listener(path: folder + "/socket") {
      nil
    } accept: { _, _ in
    }
    var status = stat()
    try #require(unsafe lstat(folder + "/socket", &status) == 0)
    #expect(status.st_mode == S_IFSOCK | 0o600)
    #expect(isListening(at: folder + "/socket"))
    listener.stop()
  }

  private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test("What one said who left without reading what was sent to him is heard")
  @MainActor func lastWords() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/ls-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var sessions: [BusSession] = []
    var heard = 0
    let (stream, exchanged) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    var exchanges = stream.makeAsyncIterator()
    let listener = try Listener(path: folder + "/socket") {
      ":direct.1"
    } accept: { connection, _ in
      let session = BusSession(connection)
      sessions.append(session)
      session.onCall = { _ in heard += 1 }
      session.onExchange = { exchanged.yield() }
      session.start()
    }
    for round in 1...20 {
      let (go, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let client = Thread {
        defer { gone.signal() }
        // This process may be busy for longer than a connection usually waits.
        guard let connection = try? Connection(socket: folder + "/socket", within: Self.patience)
        else {
          return exchanged.finish()
        }
        go.wait()
        var state = pollfd(fd: connection.fileDescriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&state, 1, 5000)
        connection.send(
          .call(
            to: "org.example.Test", path: "/x", interface: "org.example.Test",
            member: "LastWords", [], expectsReply: false))
        connection.flush()
      }
      client.start()
      while sessions.last?.connection?.isAuthenticated != true {
        try #require(await exchanges.next() != nil, "the client could not connect")
      }
      sessions.last?.send(
        .signal(path: "/x", interface: "org.example.Test", member: "Unread", []))
      // It comes and goes while this thread, which serves, hears nothing.
      go.signal()
      Self.wait(for: gone)
      while heard < round, sessions.last?.isStopped == false {
        try #require(await exchanges.next() != nil)
      }
      try #require(heard == round)
      sessions = []
    }
    withExtendedLifetime(listener) {}
  }
}
