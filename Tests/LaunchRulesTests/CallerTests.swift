import LaunchRules
import Testing

@Suite struct `Option as` {
  private static let own = Sample.id("com.example.own")
  private static let other = Sample.id("com.example.other")

  @Test("without it a caller acts as itself", arguments: Identification.allCases)
  func itself(_ how: Identification) throws {
    let acting = try ActingCaller.resolve(.application(Self.own, how), as: nil)
    #expect(acting == .identified(Self.own, how))
    #expect(acting.identifier == Self.own)
  }

  @Test("gives an unidentified caller the identity it names") func named() throws {
    let acting = try ActingCaller.resolve(.unidentified, as: Self.other)
    #expect(acting == .assumed(Self.other))
    #expect(acting.identifier == Self.other)
  }

  @Test("an unidentified caller that names nobody stays unidentified") func nobody() throws {
    let acting = try ActingCaller.resolve(.unidentified, as: nil)
    #expect(acting == .unidentified)
    #expect(acting.identifier == nil)
  }

  @Test("is not permitted to an identified caller, not even for itself", arguments: [other, own])
  func notPermitted(_ wanted: BundleIdentifier) {
    let error = #expect(throws: ActingNotPermitted.self) {
      try ActingCaller.resolve(.application(Self.own, .executable), as: wanted)
    }
    #expect(
      error?.description == "option 'as' names \(wanted), but the caller is com.example.own; "
        + "only callers without an identity of their own may use it, so leave it out")
  }
}
