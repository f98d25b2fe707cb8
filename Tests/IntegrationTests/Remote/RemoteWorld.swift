import BusContract
import DBus
import DBusMainLoop
import Foundation
import Host
import LaunchServicesTesting
import Testing

/// What the tests of remotes share.
extension Testbed {
  /// Adds a remote with `lsregister`, and gives the path of its socket.
  func addRemote(_ name: String, allowing schemes: [String] = []) async throws -> String {
    let options = schemes.flatMap { ["--allow", $0] }
    let added = try startProcess("lsregister", ["--json", "remote", "add", name] + options)
    #expect(try await added.hasEnded() == "exited with code 0", "\(added.lines)")
    let answer = try #require(added.lines.first.flatMap(Self.json))
    return try #require(answer["path"] as? String)
  }

  /// The environment of a program on the other side: no bus and no folders of the user.
  nonisolated static func elsewhere(_ socket: String) -> [String: String] {
    [
      RemoteSocket.variable: socket, "DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": "",
      "HOME": "/nonexistent",
    ]
  }

  /// Runs `lsopen` as on the other side of a socket until it ends.
  func lsopen(
    through socket: String, _ arguments: [String]
  ) async throws -> (end: String, lines: [String]) {
    let process = try startProcess(
      "lsopen", arguments, environment: Self.elsewhere(socket))
    let end = try await process.hasEnded()
    return (end, process.lines)
  }

  /// A connection to the socket of a remote.
  func remoteClient(_ socket: String) throws -> TestClient {
    let client = TestClient(
      on: BusSession(try Connection(remoteSocket: socket, within: .seconds(30))))
    client.session.start()
    return client
  }

  /// The newest requests in the record, newest first.
  func history() async throws -> [Options] {
    try await client.call(Contract.history(HistoryOptions())).first?.asOptionsList ?? []
  }

  nonisolated static func json(_ line: String) -> [String: Any]? {
    try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
  }
}
