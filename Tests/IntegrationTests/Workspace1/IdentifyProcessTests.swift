import BusContract
import DBus
import Host
import LaunchServicesTesting
import Testing

@Suite("IdentifyProcess", .timeLimit(.minutes(30))) struct IdentifyProcessTests {
  @MainActor private func identity(of pid: Int32, in world: Testbed) async throws -> Options {
    let startTime = try #require(ProcessDetails(of: pid)?.startTime)
    let question = Contract.identifyProcess(UInt32(pid), startTime: startTime)
    return try await world.client.call(question).first?.asOptions ?? [:]
  }

  @Test("says to which application a process belongs") func identifies() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      let pid = try #require(photos.pids.first)
      let known = try await identity(of: pid, in: world)
      #expect(known[Key.bundleIdentifier]?.asString == "com.example.photos")
      #expect(known[Key.origin]?.asString == "property-list")
      #expect(known[Key.identification]?.asString == "process-tree")
      let shell = try world.startProcess("/usr/bin/sleep", ["600"])
      #expect(try await identity(of: shell.pid, in: world).isEmpty)
      try await shell.stop()
    }
  }

  @Test("does not know a process of another time, and says nothing to an iOS application")
  func refuses() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      let pid = try #require(photos.pids.first)
      let other = await #expect(throws: Refusal.self) {
        try await world.client.call(Contract.identifyProcess(UInt32(pid), startTime: 1))
      }
      #expect(other?.name == "org.freedesktop.DBus.Error.AccessDenied")
      let refusal = try await photos.refusal(of: .identifyProcess(pid))
      #expect(
        refusal?.text
          == "com.example.photos is an iOS application, and only the user's own tools may use the registry"
      )
    }
  }
}
