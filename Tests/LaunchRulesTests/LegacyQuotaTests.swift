import LaunchRules
import Testing

@Suite struct `A legacy quota` {
  private static let fifty = (1...50).map { "s\($0)" }

  @Test("R3.8 counts distinct schemes up to 50, and remembers those") func fifty() {
    var quota = LegacyQuota(stamp: "1")
    let first = (Self.fifty + Self.fifty).map { quota.admit(Sample.scheme($0)) }
    #expect(first.prefix(50).allSatisfy { $0 == .counted })
    #expect(first.suffix(50).allSatisfy { $0 == .alreadyCounted })
    let late = quota.admit(Sample.scheme("late"))
    let early = quota.admit(Sample.scheme("S1"))
    #expect(late == .exceeded)
    #expect(early == .alreadyCounted)
    #expect(quota.counted == Self.fifty.map(Sample.scheme))
  }

  @Test("R3.8 is stored and restored in order, without what cannot be") func restored() {
    let quota = LegacyQuota(stamp: "1", counted: ["b", "a", "B", "no scheme"] + Self.fifty)
    #expect(quota.counted.map(\.text) == ["b", "a"] + Self.fifty.prefix(48))
  }

  @Test("F5: begins anew with another version or file, not with another time of the file")
  func stamps() {
    let stamp = "1.0.0 /apps/a.app/Info.plist"
    let start = LegacyQuotas([
      Sample.id("a"): LegacyQuota(stamp: stamp, counted: Self.fifty)
    ])
    for (application, verdict) in [
      (Sample.app("a", stamp: "1"), LegacyQuota.Verdict.exceeded),
      (Sample.app("a", stamp: "another time"), .exceeded),
      (Sample.app("a", version: "2", stamp: "1"), .counted),
      (Sample.app("a", path: "/other/Info.plist", stamp: "1"), .counted),
    ] {
      var quotas = start
      let found = quotas.admit(Sample.scheme("late"), for: application)
      #expect(found == verdict)
      #expect(quotas.generation == (verdict == .counted ? 1 : 0))
      #expect(
        quotas.quotas[Sample.id("a")]?.counted.count == (verdict == .counted ? 1 : 50))
    }
  }

  @Test("R3.8 says when it has to be stored") func generation() {
    var quotas = LegacyQuotas()
    let app = Sample.app("a")
    var generations: [UInt64] = []
    for scheme in ["x", "x", "y"] {
      _ = quotas.admit(Sample.scheme(scheme), for: app)
      generations.append(quotas.generation)
    }
    quotas.reset(app.identifier)
    quotas.reset(app.identifier)
    #expect(generations == [1, 1, 2])
    #expect(quotas.generation == 3)
    #expect(quotas.quotas == [:])
  }
}
