import LaunchRules
import Testing

@Suite struct `A query allowlist` {
  private static func allowlist(_ entries: [String], sdk: UInt16) -> QueryAllowlist {
    QueryAllowlist(Sample.app("a", queries: entries, sdk: sdk).declaration)
  }

  @Test(
    "R3.6 has a limit that follows the linked SDK",
    arguments: [(9, nil), (14, nil), (15, 50), (26, 50), (27, 25), (99, 25)] as [(UInt16, Int?)])
  func limit(_ sdk: UInt16, _ limit: Int?) {
    #expect(QueryAllowlist.limit(for: LinkedSDK(sdk, 4)) == limit)
    let entries = (1...60).map { "s\($0)" }
    let schemes = entries.map(Sample.scheme)
    #expect(
      Self.allowlist(entries, sdk: sdk)
        == .listed(
          Set(schemes.prefix(limit ?? 60)), surplus: Set(schemes.dropFirst(limit ?? 60))))
  }

  @Test("R3.6 entries count as written: twice, and also when they are no schemes") func asWritten()
  {
    let entries = ["z", "Z", "not a scheme", "https://"] + (5...25).map { "s\($0)" }
    let counting = Set((["z"] + (5...25).map { "s\($0)" }).map(Sample.scheme))
    #expect(
      Self.allowlist(entries + ["late", "z"], sdk: 27)
        == .listed(counting, surplus: [Sample.scheme("late")]))
  }

  @Test("R3.7 has no wildcards, and no colons") func noWildcards() {
    #expect(Self.allowlist(["*", "foo:", "foo://", ""], sdk: 26) == .listed([], surplus: []))
  }

  @Test("R3.8 is a quota before iOS 9, whatever the list says") func legacy() {
    #expect(Self.allowlist(["foo"], sdk: 8) == .legacyQuota)
    #expect(Self.allowlist(["foo"], sdk: 9) == .listed([Sample.scheme("foo")], surplus: []))
  }

  @Test("R3.14 does not exist on macOS", arguments: [8, 26] as [UInt16])
  func macOS(_ sdk: UInt16) {
    #expect(QueryAllowlist(Sample.app("a", on: .macOS, sdk: sdk).declaration) == .unrestricted)
  }
}
