import LaunchRules
import Testing

@Suite("Applications of desktop entries") struct DesktopApplicationTests {
  private static func list(
    _ handlers: [String: [String]], others: [String] = []
  ) -> DesktopApplicationList {
    let identifiers = Set(handlers.values.joined()).union(others).sorted()
    return DesktopApplicationList(
      entries: identifiers.map {
        .init(
          identifier: $0, path: "/share/applications/\($0)", name: "Name of \($0)",
          displayName: "Anzeigename of \($0)", icon: nil)
      }, handlers: handlers)
  }

  private static let policies: [CollisionPolicy] = [
    .lastInstalled, .firstInstalled, .ambiguousIsError, .seededRandom(7),
  ]

  @Test(
    "the desktop's order decides among desktop entries, whatever the policy", arguments: policies)
  func order(_ policy: CollisionPolicy) {
    let list = Self.list(["x": ["c.desktop", "a.desktop", "b.desktop"], "y": ["b.desktop"]])
    let registry = Sample.registry(list.applications, policy: policy)
    #expect(registry.order(of: "x") == ["c.desktop", "a.desktop", "b.desktop"])
    #expect(
      registry.reasons(for: "x") == [
        .desktopDefault, .behindDesktopDefault, .behindDesktopDefault,
      ])
    #expect(registry.reasons(for: "y") == [.onlyClaim])
  }

  @Test("every property list goes before the desktop entries", arguments: policies)
  func propertyLists(_ policy: CollisionPolicy) {
    var fallback = Sample.app("fallback", claims: ["x"])
    fallback.declaration.isFallbackHandler = true
    let worst = Sample.app("worst", claims: ["y"], role: .none, rank: .none)
    let list = Self.list(["x": ["a.desktop"], "y": ["a.desktop"]])
    let registry = Sample.registry(list.applications + [fallback, worst], policy: policy)
    #expect(registry.order(of: "x") == ["fallback", "a.desktop"])
    #expect(registry.order(of: "y") == ["worst", "a.desktop"])
    #expect(registry.reasons(for: "y") == [.beforeDesktopEntries, .desktopEntry])
  }

  @Test("the user's choice counts for a desktop entry, also without a claim") func chosen() {
    let list = Self.list(["x": ["a.desktop"]], others: ["my app_2.desktop"])
    let registry = Sample.registry(
      list.applications + [Sample.app("ours", claims: ["x"])], bound: ["x": "my app_2.desktop"])
    #expect(registry.order(of: "x") == ["my app_2.desktop", "ours", "a.desktop"])
    #expect(registry.reasons(for: "x").first == .userChoice)
  }

  @Test("a desktop entry and a property list with one identifier are one application: the list's")
  func oneApplication() {
    var ours = Sample.app("a.desktop", claims: ["x"], system: false)
    ours.declaration.displayName = "Ours"
    for order in [0, 1] {
      var all = Self.list(["x": ["a.desktop"]]).applications
      all.insert(ours, at: order)
      let registry = Sample.registry(all)
      #expect(registry.application(Sample.id("a.desktop"))?.origin == .propertyList)
      #expect(registry.order(of: "x") == ["a.desktop"])
      #expect(registry.duplicateDiagnostics == [])
    }
  }

  @Test("an application keeps what its entry says, also in its record") func contents() throws {
    var list = Self.list(["x": ["a.desktop", "b.desktop"], "y": ["b.desktop"], "z": ["b.desktop"]])
    list.entries[1].icon = "icon-b"
    let application = try #require(list.applications.last)
    #expect(application.identifier.text == "b.desktop")
    #expect(application.declaration.visibleName == "Anzeigename of b.desktop")
    #expect(application.declaration.name == "Name of b.desktop")
    #expect(application.declaration.iconFile == "icon-b")
    #expect(application.declaration.isDesktopBridge)
    #expect(application.propertyList == "/share/applications/b.desktop")
    #expect(application.bundle == application.propertyList)
    #expect(
      application.declaration.urlTypes.map { "\($0.desktopOrder) \($0.schemes)" } == [
        "0 [y, z]", "1 [x]",
      ])
    #expect(ApplicationRecord(application).application == application)
  }

  @Test("what is no scheme, and what is no desktop ID, is left out") func oddities() {
    let list = Self.list([
      "about": ["a.desktop"], "unknown": ["a.desktop"], "file": ["a.desktop"], "a b": ["a.desktop"],
      "x": ["nothing", "a/b.desktop", ".desktop", "a.desktop"],
    ])
    #expect(
      list.applications.map(\.identifier.text) == [".desktop", "a.desktop", "nothing"])
    let registry = Sample.registry(list.applications)
    for scheme in ["about", "unknown", "file"] { #expect(registry.order(of: scheme) == []) }
  }

  @Test("a person finds an application by its name in both languages, and by its file")
  func names() {
    let registry = Sample.registry(Self.list(["x": ["text-editor.desktop"]]).applications)
    for name in [
      "anzeigename of text-editor.desktop", "Name of text-editor.desktop", "text-editor",
      "text-editor.desktop",
    ] {
      #expect(registry.applications(named: name).map(\.identifier.text) == ["text-editor.desktop"])
    }
  }
}
