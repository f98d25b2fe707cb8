import BusContract
import DBus
internal import DBusMainLoop
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Calls that bring descriptors were read as they came. One caller could make the daemon run out of
/// descriptors: it lost the bus, said that the bus had gone, and ended as if all were well.
@Suite("Regression: a flood of descriptors", .timeLimit(.minutes(30)))
struct DescriptorFloodTests {
  static func call() -> Message {
    let descriptors = (0..<16).map { _ in
      Value.descriptor(OwnedDescriptor(adopting: unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)))
    }
    return .call(
      to: Contract.busName, path: Contract.objectPath, interface: Contract.workspace,
      member: "OpenURL",
      [.string("photos:1"), .options(["unknown": .array(of: "h", descriptors)])],
      expectsReply: false)
  }

  @MainActor private func allow(_ number: Int, _ world: Testbed) async throws {
    let prlimit = try world.startProcess(
      "prlimit", ["--pid", "\(world.daemon.pid)", "--nofile=\(number):"])
    #expect(try await prlimit.hasEnded() == "exited with code 0")
  }

  @Test("is read as there is room for it, and everybody else is served", arguments: [false, true])
  func flood(isKnown: Bool) async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:0").outcome == .deliveredCold)
      let flooding = try await world.newClient()
      if isKnown { _ = try await flooding.canOpen("photos:") }
      try await allow(448, world)
      world.daemon.signal(SIGSTOP)
      for _ in 0..<60 { flooding.session.send(Self.call()) }
      flooding.session.connection?.flush()
      let open = world.client.opening("photos:2")
      world.daemon.signal(SIGCONT)
      #expect(try await open.receipt().outcome == .deliveredWarm)
      _ = try await flooding.canOpen("photos:")
      #expect(photos.pids.count == 1)
    }
  }

  @Test("When the bus threw it out, the daemon says so and ends with 1") func thrownOut()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.client.canOpen("photos:")
      let open = try FileManager.default.contentsOfDirectory(
        atPath: "/proc/\(world.daemon.pid)/fd"
      ).compactMap { Int($0) }
      try await allow((open.max() ?? 0) + 5, world)
      world.client.session.send(Self.call())
      #expect(try await world.daemon.hasEnded() == "exited with code 1")
      #expect(
        try await world.daemon.line(containing: "bus")
          == "launchservicesd: error: the session bus closed the connection, but is still there; this"
          + " daemon ends so that it can be started again")
    }
  }
}
