import LaunchRules
import SeededRandom
import Testing

/// What `lsregister handlers` lists is compared with the application that an open gets.
@Suite("The candidates for people") struct VisibleCandidatesTests {
  private static let schemes = ["x", "mailto", "tel", "https"]
  private static let policies: [CollisionPolicy] = [
    .lastInstalled, .firstInstalled, .ambiguousIsError, .seededRandom(3),
  ]

  @Test(
    "begin with the application that gets the URL, and are empty when no application gets the URL",
    arguments: 0..<300 as Range<UInt64>)
  func chosen(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let registry = registry(&random)
    for scheme in Self.schemes.map(Sample.scheme) {
      let visible = registry.visibleCandidates(for: scheme).map(\.identifier)
      do throws(OpenFailure) {
        let chosen = try registry.handler(of: OpenTarget(scheme: scheme), for: nil).application
        #expect(visible.first == chosen.identifier, "\(scheme.text), seed \(seed)")
      } catch {
        guard case .ambiguousHandler = error else {
          #expect(visible.isEmpty, "\(scheme.text), seed \(seed): \(error)")
          continue
        }
        #expect(visible.count > 1, "\(scheme.text), seed \(seed)")
      }
    }
  }

  /// Up to three applications with property lists, three desktop entries and the stand-ins of system applications, with
  /// random claims and choices of the user.
  private func registry(_ random: inout SplitMix64) -> Registry {
    var installed: [InstalledApplication] = []
    for (application, schemes) in [
      (SystemApplication.mail, ["mailto"]), (.phone, ["tel"]), (.safari, ["https"]),
    ] where Int.random(in: 0..<4, using: &random) > 0 {
      var stand = Sample.app(application.identifier, claims: schemes, system: true)
      if Bool.random(using: &random) {
        stand.declaration.program = .arguments([DesktopBridge.program])
      }
      installed.append(stand)
    }
    for number in 0..<Int.random(in: 0...3, using: &random) {
      var application = Sample.app(
        "list\(number)", claims: some(of: Self.schemes, &random),
        at: Int64.random(in: 0...2, using: &random))
      application.declaration.isFallbackHandler = Bool.random(using: &random)
      installed.append(application)
    }
    var handlers: [String: [String]] = [:]
    let entries = ["a.desktop", "b.desktop", "c.desktop"]
    for scheme in Self.schemes { handlers[scheme] = some(of: entries, &random) }
    installed +=
      DesktopApplicationList(
        entries: entries.map {
          .init(
            identifier: $0, path: "/share/applications/\($0)", name: $0, displayName: $0, icon: nil)
        }, handlers: handlers
      ).applications
    var bound: [String: String] = [:]
    for scheme in Self.schemes where Int.random(in: 0..<3, using: &random) == 0 {
      bound[scheme] = installed.randomElement(using: &random)?.identifier.text
    }
    return Sample.registry(
      installed, policy: Self.policies.randomElement(using: &random) ?? .lastInstalled,
      bound: bound)
  }

  private func some(of texts: [String], _ random: inout SplitMix64) -> [String] {
    texts.shuffled(using: &random).filter { _ in Bool.random(using: &random) }
  }
}
