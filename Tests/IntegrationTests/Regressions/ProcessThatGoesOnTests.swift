import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// A started process that left its work to a child, which had checked in, was taken for the whole
/// application: when it ended, the child was forgotten, and the next open started a second process.
@Suite("Regression: the child that checked in goes on", .timeLimit(.minutes(30)))
struct ProcessThatGoesOnTests {
  private static let identifier = "com.example.photos"

  /// Opens the first URL, and ends the process that was started for it.
  @MainActor private func leaveChild(
    _ world: Testbed
  ) async throws -> (handler: ScriptedHandler, child: Int32) {
    var script = HandlerScript.launching(.fork, .checkIn(), .finishLaunching())
    script.comesBack = .remembering
    let photos = try await world.install(Self.identifier, schemes: ["photos"], script)
    #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
    let started = try #require(photos.pids.first)
    let child = try #require(photos.pids.last)
    #expect(started != child)
    kill(started, SIGKILL)
    // Calls do not wait for what the kernel tells the daemon.
    for _ in 0..<1000
    where try await world.client.running().first?["pid"]?.asUInt32 != UInt32(child) {}
    return (photos, child)
  }

  @Test("The next URL goes to it, and it is the application until it ends") func goesOn()
    async throws
  {
    try await Testbed.run { world in
      let (photos, child) = try await leaveChild(world)

      let receipt = try await world.client.open("photos:2")

      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == child)
      #expect(photos.pids.count == 2)
      for asker in [Asker.itself, .otherConnection, .child, .orphan] {
        let caller = try await photos.explain("photos:", by: asker).caller
        #expect(caller == Self.identifier, "\(asker)")
      }
      let end = world.client.end(of: child)
      _ = try await world.client.call(Contract.ping())
      kill(child, SIGKILL)
      _ = try await end.how()
      photos.script = .delegate()
      #expect(try await world.client.open("photos:3").outcome == .deliveredCold)
      #expect(photos.pids.count == 3)
    }
  }

  @Test("Another daemon takes it back, also while the first process waits for it, as a shell does")
  func wrapped() async throws {
    try await Testbed.run { world in
      let program = try #require(Example.program("scripted-handler"))
      var script = HandlerScript.delegate()
      script.comesBack = .remembering
      let photos = try await world.install(Self.identifier, schemes: ["photos"], script) {
        $0.executable = .file("#!/bin/sh\n'\(program)'\ntrue\n", permissions: 0o755)
      }
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      try await world.killDaemon()
      try await world.startDaemon()
      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)
      #expect(photos.pids.count == 1)
      for pid in photos.pids { kill(pid, SIGKILL) }
    }
  }

  @Test("Another daemon takes it back whose first process left while no daemon ran")
  func leftBetweenDaemons() async throws {
    try await Testbed.run { world in
      var script = HandlerScript.launching(.fork, .checkIn(), .finishLaunching())
      script.comesBack = .remembering
      let photos = try await world.install(Self.identifier, schemes: ["photos"], script)
      // The receipt of a named request comes after what the record was told before it.
      #expect(try await world.client.open("photos:1", requestID: "1").outcome == .deliveredCold)
      let started = try #require(photos.pids.first)
      let child = try #require(photos.pids.last)
      try await world.killDaemon()
      kill(started, SIGKILL)
      try await photos.hasLeftTheBus(started)
      // It checks in again later than the next open comes, and the tests may be busy meanwhile.
      try world.writeSettings("<key>CheckInGrace</key><integer>60</integer>")
      kill(child, SIGSTOP)
      try await world.startDaemon()
      let opening = world.client.opening("photos:2")
      #expect(try await world.client.running().map { $0["pid"]?.asUInt32 } == [UInt32(child)])
      kill(child, SIGCONT)
      let receipt = try await opening.receipt()
      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == child)
      #expect(photos.pids.count == 2)
      for asker in [Asker.itself, .child, .orphan] {
        let caller = try await photos.explain("photos:", by: asker).caller
        #expect(caller == Self.identifier, "\(asker)")
      }
    }
  }

  @Test("What it works on when the first process leaves is known to be its work by the next daemon")
  func underWay() async throws {
    try await Testbed.run { world in
      var script = HandlerScript.launching(.fork, .checkIn(), .finishLaunching())
      script.comesBack = .remembering
      script.deliveries = [[.answer(true)], [.wait, .answer(true)]]
      let photos = try await world.install(Self.identifier, schemes: ["photos"], script)
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      let (started, child) = (try #require(photos.pids.first), try #require(photos.pids.last))
      var options = OpenOptions()
      options.requestID = "two"
      let cutOff = world.client.opening("photos:2", options)
      try await photos.isWaiting()
      kill(started, SIGKILL)
      for _ in 0..<1000
      where try await world.client.running().first?["pid"]?.asUInt32 != UInt32(child) {}
      try await world.killDaemon()
      await #expect(throws: Refusal.self) { try await cutOff.receipt() }
      try await world.startDaemon()
      let again = world.client.opening("photos:2", options)
      try await photos.go()
      let receipt = try await again.receipt()
      #expect(receipt.outcome.delivery == .delivered && receipt.pid == child)
      #expect(photos.pids.count == 2)
    }
  }

  @Test("Another daemon waits for it") func restart() async throws {
    try await Testbed.run { world in
      let (photos, child) = try await leaveChild(world)
      try await world.killDaemon()
      try await world.startDaemon()
      let receipt = try await world.client.open("photos:2")
      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == child)
      #expect(try await photos.explain("photos:", by: .orphan).caller == Self.identifier)
      #expect(photos.pids.count == 2)
    }
  }
}
