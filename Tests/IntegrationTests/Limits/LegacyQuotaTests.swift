import LaunchServicesTesting
import Testing

@Suite("R3.8 the quota of applications linked before iOS 9", .timeLimit(.minutes(30)))
struct LegacyQuotaTests {
  static let caller = "com.example.old"

  /// An old application that has used up its quota with the schemes `s1` to `s50`.
  private static func usedUp(_ world: Testbed) async throws -> ScriptedHandler {
    try await world.install("com.example.handler", schemes: (1...51).map { "s\($0)" })
    let old = try await world.install(caller) {
      $0.sdk = "iphoneos8.0"
      $0.place = .registered
    }
    for number in 1...50 {
      #expect(try await world.client.canOpen("s\(number):", as: caller))
    }
    #expect(try await world.client.canOpen("s51:", as: caller) == false)
    return old
  }

  @Test("It survives a restart of the daemon")
  func restart() async throws {
    try await Testbed.run { world in
      _ = try await Self.usedUp(world)
      try await world.restartDaemon()
      #expect(try await world.client.canOpen("s51:", as: Self.caller) == false)
      #expect(try await world.client.canOpen("s50:", as: Self.caller))
    }
  }

  @Test(
    "F5: the registration of an unchanged file is no new installation, that of a changed one is")
  func registeredAgain() async throws {
    try await Testbed.run { world in
      let old = try await Self.usedUp(world)
      try await world.client.register(old.path)
      #expect(try await world.client.canOpen("s51:", as: Self.caller) == false)
      try await world.install(Self.caller) {
        ($0.sdk, $0.place) = ("iphoneos8.0", .registered)
        $0.otherKeys = ["UILaunchImageFile": "Start"]
      }
      #expect(try await world.client.canOpen("s51:", as: Self.caller))
    }
  }

  @Test("F5: it begins anew when the application was removed and is registered again")
  func removed() async throws {
    try await Testbed.run { world in
      let old = try await Self.usedUp(world)
      try await world.client.unregister(Self.caller)
      try await world.client.register(old.path)
      #expect(try await world.client.canOpen("s51:", as: Self.caller))
    }
  }

  @Test("It begins anew when another version is installed")
  func upgraded() async throws {
    try await Testbed.run { world in
      _ = try await Self.usedUp(world)
      try await world.install(Self.caller) {
        ($0.sdk, $0.place, $0.version) = ("iphoneos8.0", .registered, "2")
      }
      #expect(try await world.client.canOpen("s51:", as: Self.caller))
    }
  }

  @Test("What is only explained does not count")
  func explained() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.handler", schemes: (1...60).map { "s\($0)" })
      try await world.install(Self.caller) { $0.sdk = "iphoneos8.0" }
      for number in 1...60 {
        _ = try await world.client.explain("s\(number):", as: Self.caller)
      }
      #expect(try await world.client.canOpen("s60:", as: Self.caller))
    }
  }
}
