import LaunchRules
import Testing

@Suite struct `The user's choice of an iOS application for a reserved scheme` {
  private static let entitledChoices: [(DefaultApplicationEntitlement, [String], String)] = [
    (.webBrowser, ["http", "https"], "http"), (.webBrowser, ["http", "https"], "https"),
    (.mailClient, ["mailto"], "mailto"), (.callingApp, ["tel"], "tel"), (.callingApp, [], "tel"),
    (.messagingApp, ["im"], "im"), (.navigationApp, ["maps"], "maps"),
  ]

  /// An entitlement, what the application claims with it, and the scheme it is chosen for.
  @Test(
    "R2.9 R1.44 R1.45 R1.46 R1.47 R1.48 counts with the entitlement for the scheme",
    arguments: entitledChoices)
  func entitled(
    _ entitlement: DefaultApplicationEntitlement, _ claims: [String], _ scheme: String
  ) {
    let registry = Sample.registry(
      [
        Sample.app("a", claims: claims, entitlements: [entitlement]),
        Sample.app("b", claims: [scheme], at: 9),
        Sample.app("system", claims: [scheme], system: true),
      ], bound: [scheme: "a"])
    #expect(registry.order(of: scheme) == ["a", "system", "b"])
    #expect(
      registry.reasons(for: scheme) == [.entitledUserChoice, .system, .behindUserChoice])
    #expect(registry.isClaimedBySystem(Sample.scheme(scheme)))
    #expect(registry.objection(to: Sample.id("a"), for: Sample.scheme(scheme)) == nil)
  }

  /// An application that may not have a scheme, and what people are told.
  struct Lack: Sendable, CustomTestStringConvertible {
    let entitlements: Set<DefaultApplicationEntitlement>
    let scheme: String
    /// After the sentence that the scheme is reserved.
    let objection: String
    var testDescription: String { scheme }
  }

  private static let place =
    ", in archived-expanded-entitlements.xcent or NAME.entitlements beside its property list"

  private static let lacks = [
    Lack(
      entitlements: [], scheme: "mailto",
      objection: "; a needs the entitlement com.apple.developer.mail-client (R1.45)" + place),
    Lack(
      entitlements: [.webBrowser], scheme: "tel",
      objection: "; a needs the entitlement com.apple.developer.calling-app (R1.46)" + place),
    Lack(
      entitlements: [.webBrowser], scheme: "http",
      objection: "; a has the entitlement com.apple.developer.web-browser, but must also claim"
        + " https (R1.44)"),
    Lack(
      entitlements: Set(DefaultApplicationEntitlement.allCases), scheme: "facetime",
      objection: ", and no iOS application may be chosen instead (R2.8)"),
  ]

  @Test("R2.8 has no effect without it, and the reason is told", arguments: lacks)
  func notEntitled(_ lack: Lack) {
    let registry = Sample.registry(
      [
        Sample.app("a", claims: [lack.scheme], entitlements: lack.entitlements),
        Sample.app("system", claims: [lack.scheme], system: true),
      ], bound: [lack.scheme: "a"])
    #expect(registry.order(of: lack.scheme) == ["system", "a"])
    #expect(registry.reasons(for: lack.scheme) == [.system, .userChoiceAfterSystem])
    let reserved = "the scheme \(lack.scheme) is reserved for the system application system"
    #expect(
      registry.objection(to: Sample.id("a"), for: Sample.scheme(lack.scheme))
        == reserved + lack.objection)
  }

  @Test("R2.9 an entitlement alone is no choice") func notChosen() {
    let registry = Sample.registry([
      Sample.app("a", claims: ["mailto"], entitlements: [.mailClient]),
      Sample.app("mail", claims: ["mailto"], system: true),
    ])
    #expect(registry.order(of: "mailto") == ["mail", "a"])
  }

  @Test("R2.9 where no system application is installed nothing is reserved") func notReserved() {
    let registry = Sample.registry(
      [Sample.app("a", claims: ["mailto"]), Sample.app("b", claims: ["mailto"], at: 9)],
      bound: ["mailto": "a"])
    #expect(registry.order(of: "mailto") == ["a", "b"])
    #expect(registry.reasons(for: "mailto") == [.userChoice, .behindUserChoice])
    #expect(registry.objection(to: Sample.id("a"), for: Sample.scheme("mailto")) == nil)
  }

  @Test("R2.15 on macOS every choice counts, and there is nothing to object to") func macOS() {
    let registry = Sample.registry([
      Sample.app("a", claims: ["mailto"], on: .macOS),
      Sample.app("mail", claims: ["mailto"], system: true),
    ])
    #expect(registry.objection(to: Sample.id("a"), for: Sample.scheme("mailto")) == nil)
    #expect(registry.objection(to: Sample.id("mail"), for: Sample.scheme("mailto")) == nil)
    #expect(registry.objection(to: Sample.id("nobody"), for: Sample.scheme("mailto")) == nil)
  }

  @Test("An entitlement that comes or goes moves the application at once") func changes() {
    var registry = Sample.registry(
      [Sample.app("a", claims: ["tel"]), Sample.app("phone", claims: ["tel"], system: true)],
      bound: ["tel": "a"])
    registry.install(Sample.app("a", claims: ["tel"], entitlements: [.callingApp]))
    #expect(registry.order(of: "tel") == ["a", "phone"])
    registry.install(Sample.app("a", claims: ["tel"]))
    #expect(registry.order(of: "tel") == ["phone", "a"])
  }
}
