import DBus
import LaunchServicesTesting
import Testing

@Suite("Routing", .timeLimit(.minutes(30)))
struct RoutingTests {
  @Test(
    "T2.1 schemes are compared without case, and the URL arrives unchanged",
    arguments: Profile.allCases)
  func caseOfTheScheme(_ profile: Profile) async throws {
    try await Testbed.run { world in
      let application = try await world.install("com.example.a", schemes: ["myapp"]) {
        $0.sdk = profile.rawValue
      }
      let receipt = try await world.client.open("MYAPP://x")
      #expect(receipt.handler == "com.example.a")
      #expect(application.heard().last == .opened("MYAPP://x"))
    }
  }

  @Test("T2.2 iOS: a reserved scheme goes to the system application, whatever the user chose")
  func reservedScheme() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.a", schemes: ["mailto"]) {
        $0.sdk = Profile.iOS.rawValue
      }
      try await world.install("com.example.mail", schemes: ["mailto"]) { $0.place = .systemFolder }
      await #expect(
        throws: Refusal(
          "NotPermitted",
          "the scheme mailto is reserved for the system application com.example.mail;"
            + " com.example.a needs the entitlement com.apple.developer.mail-client (R1.45), in"
            + " archived-expanded-entitlements.xcent or NAME.entitlements beside its property list")
      ) { try await world.client.setDefaultHandler("mailto", "com.example.a") }
      let receipt = try await world.client.open("mailto:a@b")
      #expect(receipt.handler == "com.example.mail")
      #expect(try await world.client.handlers("mailto") == ["com.example.mail", "com.example.a"])
    }
  }

  @Test("T2.2 macOS: the user's choice decides about a reserved scheme")
  func chosenHandler() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.a", schemes: ["mailto"]) {
        $0.sdk = Profile.macOS.rawValue
      }
      try await world.install("com.example.mail", schemes: ["mailto"]) { $0.place = .systemFolder }
      #expect(try await world.client.defaultHandler("mailto") == "com.example.mail")
      try await world.client.setDefaultHandler("mailto", "com.example.a")
      let receipt = try await world.client.open("mailto:a@b")
      #expect(receipt.handler == "com.example.a")
    }
  }

  @Test("T2.3 a claim that is no scheme is ignored with a warning", arguments: Profile.allCases)
  func invalidClaim(_ profile: Profile) async throws {
    try await Testbed.run { world in
      let application = try await world.install("com.example.a") {
        $0.schemes = ["1app", "good"]
        $0.sdk = profile.rawValue
      }
      let lint = try await world.client.lint(application.path)
      #expect(
        lint == [
          "warning: CFBundleURLTypes[0].CFBundleURLSchemes[0]: \"1app\" begins with a digit and is"
            + " no scheme: the scheme is not claimed: a scheme begins with a letter (R2.1)"
        ])
      #expect(try await world.client.handlers("good") == ["com.example.a"])
      await #expect(
        throws: Refusal(
          "org.freedesktop.DBus.Error.InvalidArgs",
          "'1app' is not a scheme: a letter, then letters, digits, + - . and no colon")
      ) { try await world.client.handlers("1app") }
    }
  }

  /// Which of two equal claims wins, by policy.
  @Test(
    "T2.4 two claims: exactly one gets the URL, and the policy says which",
    arguments: [("last-installed", "com.example.a"), ("first-installed", "com.example.b")])
  func twoClaims(_ policy: String, _ winner: String) async throws {
    try await Testbed.run(["--collision-policy", policy]) { world in
      // Registering takes the time of the clock, which is finer than the time of a file.
      let b = try await world.install("com.example.b", schemes: ["x"]) { $0.place = .registered }
      let a = try await world.install("com.example.a", schemes: ["x"]) { $0.place = .registered }
      let receipt = try await world.client.open("x:1")
      #expect(receipt.handler == winner)
      #expect([a, b].filter { !$0.heard().isEmpty }.map(\.identifier) == [winner])
    }
  }

  @Test("T2.4 two claims and the policy ambiguous-is-error: nobody gets the URL")
  func ambiguousClaims() async throws {
    try await Testbed.run(["--collision-policy", "ambiguous-is-error"]) { world in
      let a = try await world.install("com.example.a", schemes: ["x"])
      let b = try await world.install("com.example.b", schemes: ["x"])
      await #expect(
        throws: Refusal(
          "AmbiguousHandler",
          "the scheme x is claimed by com.example.a, com.example.b, and the setting"
            + " CollisionPolicy requires a choice;"
            + " choose one with: lsregister default x ID (OSStatus error -10814)")
      ) { try await world.client.open("x:1") }
      #expect(a.heard() + b.heard() == [])
    }
  }

  @Test("T2.5 macOS: of two copies the one with the higher version is used, 1.10 before 1.2")
  func versions() async throws {
    try await Testbed.run { world in
      let newer = try await world.install("com.example.a", schemes: ["x"]) {
        ($0.sdk, $0.version, $0.bundleName) = (Profile.macOS.rawValue, "1.10", "newer")
      }
      try await world.install("com.example.a", schemes: ["x"]) {
        ($0.sdk, $0.version, $0.bundleName) = (Profile.macOS.rawValue, "1.2", "older")
      }
      let entry = try await world.client.entry(of: "com.example.a")
      #expect(entry?["version"] == .string("1.10.0"))
      #expect(entry?["path"] == .string(world.propertyList(of: newer)))
      #expect(try await world.client.open("x:1").outcome == .deliveredCold)
    }
  }

  @Test("T2.6 a scheme that nobody claims: not found, -10814")
  func nobody() async throws {
    try await Testbed.run { world in
      await #expect(
        throws: Refusal(
          "ApplicationNotFound",
          "no application is registered for the scheme zz (OSStatus error -10814)")
      ) { try await world.client.open("zz:") }
    }
  }
}
