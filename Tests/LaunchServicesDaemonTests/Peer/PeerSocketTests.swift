import DBus
import DBusMainLoop
import DaemonSettings
import Foundation
import Glibc
import Host
import LaunchRules
import Testing

@testable import LaunchServicesDaemon

/// A daemon without a bus, whose socket others take away.
@MainActor @Suite("The socket for direct connections", .timeLimit(.minutes(30)))
final class PeerSocketTests {
  private let folder =
    FileManager.default.temporaryDirectory.path
    + "/ls-\(UUID().uuidString.prefix(8))"
  private var socket: String { folder + "/launch-services/socket" }
  fileprivate nonisolated static let atOnce = RepairPace(shortest: 0, longest: 0)
  private let journal = Journal(program: "socket-tests", environment: [:], descriptor: -1)

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Returns when nobody can connect any more. The daemon would end now.
  private func lose(by taking: () throws -> Void) async throws -> PeerSocket {
    let peers = PeerSocket(path: socket, hasBus: false, pace: Self.atOnce, journal)
    let (stream, lost) = AsyncStream.makeStream(of: Void.self)
    peers.onUnreachable = { lost.yield() }
    try peers.open()
    #expect(takesConnections(socket))
    try taking()
    var events = stream.makeAsyncIterator()
    try #require(await events.next() != nil)
    peers.close()
    return peers
  }

  @Test("is lost when its folder is gone, and the one above") func folderGone() async throws {
    _ = try await lose { try FileManager.default.removeItem(atPath: folder) }
  }

  @Test("is lost when another process has it, which keeps it") func taken() async throws {
    let other = Process()
    other.executableURL = URL(filePath: "/usr/bin/python3")
    let bind = """
      import socket, sys
      listener = socket.socket(socket.AF_UNIX)
      listener.bind(sys.argv[1])
      listener.listen()
      print("ready", flush=True)
      sys.stdin.read()
      """
    let place = folder + "/other"
    other.arguments = ["-c", bind, place]
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    other.standardInput = input
    other.standardOutput = output
    other.standardError = errors
    try other.run()
    defer { other.terminate() }
    let (stream, written) = AsyncStream.makeStream(of: Data.self)
    output.fileHandleForReading.readabilityHandler = { written.yield($0.availableData) }
    defer { output.fileHandleForReading.readabilityHandler = nil }
    var pieces = stream.makeAsyncIterator()
    var heard = Data()
    while heard != Data("ready\n".utf8) {
      let piece = try #require(await pieces.next())
      // The end of the output, or nothing to read yet.
      if piece.isEmpty, !other.isRunning {
        let reason = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        Issue.record("python3 ended with \(other.terminationStatus): \(reason)")
        return
      }
      heard += piece
    }
    let peers = try await lose { try #require(unsafe rename(place, socket) == 0) }
    #expect(takesConnections(socket))
    withExtendedLifetime(peers) {}
  }

  @Test("is made again when it was only removed") func removed() async throws {
    let peers = PeerSocket(path: socket, hasBus: false, pace: Self.atOnce, journal)
    let (stream, connected) = AsyncStream.makeStream(of: Void.self)
    peers.nextName = { ":direct.1" }
    peers.onConnection = {
      _, _ in
      connected.yield()
      return nil
    }
    try peers.open()
    for _ in 1...3 {
      try FileManager.default.removeItem(atPath: socket)
      // The daemon itself connects to see whether the socket is in its place.
      var events = stream.makeAsyncIterator()
      while !takesConnections(socket) { try #require(await events.next() != nil) }
    }
    peers.close()
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  /// Replaces the socket of a daemon, and returns when connections reach the daemon again.
  private func replace(hasBus: Bool, by other: () throws -> Void) async throws {
    let peers = PeerSocket(path: socket, hasBus: hasBus, pace: Self.atOnce, journal)
    let (stream, connected) = AsyncStream.makeStream(of: Void.self)
    peers.nextName = { ":direct.1" }
    peers.onConnection = { _, _ in
      connected.yield()
      return nil
    }
    try peers.open()
    var events = stream.makeAsyncIterator()
    // The daemon itself connects to see whether the socket is in its place.
    try #require(await events.next() != nil)
    try FileManager.default.removeItem(atPath: socket)
    try other()
    try #require(await events.next() != nil)
    #expect(takesConnections(socket))
    peers.close()
  }

  @Test(
    "is made again when another one takes its place, of which the queue is full",
    arguments: [false, true])
  func fullQueue(hasBus: Bool) async throws {
    var other: Int32 = -1
    defer { close(other) }
    try await replace(hasBus: hasBus) {
      other = try listen(atSocket: socket)
      // A listening socket takes another length of its queue.
      try #require(listen(other, 0) == 0)
      while takesConnections(socket) {}
    }
  }

  @Test(
    "is made again when a file or a folder takes its place, also without a bus",
    arguments: ["file", "folder", "link"])
  func otherFile(kind: String) async throws {
    try await replace(hasBus: false) { try put(kind, at: socket) }
  }

  private func put(_ kind: String, at path: String) throws {
    let files = FileManager.default
    try files.createDirectory(
      atPath: folder + "/launch-services", withIntermediateDirectories: true)
    try #require(unsafe chmod(folder + "/launch-services", 0o700) == 0)
    switch kind {
    case "link": try files.createSymbolicLink(atPath: path, withDestinationPath: folder + "/kept")
    case "file": try Data("kept".utf8).write(to: URL(filePath: path))
    default: try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    if kind == "folder with files" { try Data().write(to: URL(filePath: path + "/kept")) }
  }

  @Test(
    "takes no place of a file that the user may need",
    arguments: ["link", "file", "folder", "folder with files"])
  func usedPlace(kind: String) throws {
    try put(kind, at: socket)
    let peers = PeerSocket(path: socket, hasBus: true, pace: Self.atOnce, journal)
    #expect(
      throws: BusError.failed(
        "a file that is no socket is there; remove it, or choose another path")
    ) { try peers.open() }
    peers.close()
    #expect(unsafe access(socket, F_OK) == 0 || kind == "link")
  }

  @Test(
    "of a remote takes the place of what a container has put there",
    arguments: ["link", "file", "folder", "folder with files"])
  func placeOfRemote(kind: String) throws {
    try Data("kept".utf8).write(to: URL(filePath: folder + "/kept"))
    try put(kind, at: socket)
    let peers = PeerSocket(
      path: socket, hasBus: true, pace: Self.atOnce, kind: .remote(RemoteName("box")!), journal)
    if kind == "folder with files" {
      #expect(throws: BusError.failed("a folder with files is there; remove it")) {
        try peers.open()
      }
    } else {
      try peers.open()
      #expect(takesConnections(socket))
    }
    peers.close()
    #expect(try String(contentsOfFile: folder + "/kept", encoding: .utf8) == "kept")
  }

  @Test("ends the daemon when it is lost") func ends() async throws {
    await #expect(processExitsWith: .exitCode(1)) {
      try await runUntilLost()
    }
  }
}

/// A daemon whose socket is removed with its folder, until it ends itself.
@MainActor private func runUntilLost() async throws {
  let folder =
    FileManager.default.temporaryDirectory.path
    + "/ls-\(UUID().uuidString.prefix(8))"
  try FileManager.default.createDirectory(
    atPath: folder + "/run", withIntermediateDirectories: true)
  var settings = Settings()
  settings.takesDirectConnections = true
  var configuration = DaemonConfiguration(
    settings: settings, environment: [:], folders: [], stateFolder: folder + "/state",
    cacheFolder: folder + "/cache", directSocket: folder + "/run/launch-services/socket",
    lookInterval: 60)
  configuration.socketRepair = PeerSocketTests.atOnce
  let daemon = Daemon(
    BusSession(nil), configuration,
    Journal(program: "socket-tests", environment: [:], descriptor: -1))
  await daemon.start()
  guard daemon.listen() else { exit(2) }
  try FileManager.default.removeItem(atPath: folder)
  // Nothing ends this but the daemon.
  for await _ in AsyncStream(Void.self, { _ in }) {}
}
