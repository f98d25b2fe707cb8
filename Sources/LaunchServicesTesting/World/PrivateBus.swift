internal import DBus
internal import FoundationEssentials
internal import Glibc
internal import Host

/// A private message bus of the test, separate from the buses of the machine.
@MainActor final class PrivateBus {
  let address: String
  let process: ObservedProcess

  /// - Parameters:
  ///   - folder: the folder of its socket and its configuration.
  ///   - services: the folders of the service files.
  init(
    in folder: String, services: [String], environment: [String: String]
  ) async throws {
    let socket = folder + "/bus"
    guard socket.utf8.count < 108 else {
      throw TestbedFailure(
        "the path \(socket) is too long for a socket, which has at most 107 bytes: set TMPDIR to a folder with a"
          + " shorter path, such as /tmp")
    }
    let listening = try Connection.address(ofSocket: socket)
    let file = folder + "/bus.conf"
    try Self.configuration(address: listening, services).write(
      toFile: file, atomically: false, encoding: .utf8)
    process = try ObservedProcess(
      Launch(
        executable: try Programs.find("dbus-daemon"),
        arguments: ["--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=2"],
        environment: environment))
    address = try await Self.address(listening, of: process)
  }

  /// Waits until the bus prints its address, which begins with that on which it listens.
  private static func address(
    _ listening: String, of process: ObservedProcess
  ) async throws -> String {
    // Many worlds begin at the same time, when nobody uses their buses yet.
    let limit = ContinuousClock.now + Patience.ofTests * 4
    while ContinuousClock.now < limit {
      if let line = process.lines.first(where: { $0.contains(listening) }) { return line }
      guard process.isRunning else { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    let end = process.isRunning ? "printed no address" : try await process.hasEnded()
    throw TestbedFailure(
      "dbus-daemon \(end); it wrote:\n" + process.lines.joined(separator: "\n"))
  }

  /// Ends the bus and so all its connections.
  func end() async throws { _ = try await process.stop() }

  /// A text in XML.
  private static func text(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  /// The rules of an ordinary session bus, without the service files of the machine.
  private static func configuration(address: String, _ services: [String]) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>\(address)</listen>
      <auth>EXTERNAL</auth>
      \(services.map { "<servicedir>\(text($0))</servicedir>" }.joined())
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
      <limit name="max_incoming_bytes">1000000000</limit>
      <limit name="max_outgoing_bytes">1000000000</limit>
      <limit name="max_incoming_unix_fds">250000000</limit>
      <limit name="max_outgoing_unix_fds">250000000</limit>
      <limit name="max_message_size">1000000000</limit>
      <limit name="max_completed_connections">100000</limit>
      <limit name="max_connections_per_user">100000</limit>
      <limit name="max_match_rules_per_connection">50000</limit>
      <limit name="max_replies_per_connection">50000</limit>
    </busconfig>
    """
  }
}
