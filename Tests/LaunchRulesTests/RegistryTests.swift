import LaunchRules
import Testing

@Suite struct `The registry` {
  @Test("R1.50 counts changes, and only changes") func generation() {
    var registry = Registry()
    let app = Sample.app("a", claims: ["x"])
    let installed = registry.install(app)
    let again = registry.install(app)
    #expect(installed && !again)
    #expect(registry.generation == 1)
    let removed = registry.remove(propertyList: app.propertyList)
    let nothing = registry.remove(propertyList: app.propertyList)
    #expect(removed == app)
    #expect(nothing == nil)
    #expect(registry.generation == 2)
  }

  @Test("R1.53 an update replaces the claims of the application") func update() {
    var registry = Sample.registry([Sample.app("a", claims: ["x", "y"], stamp: "1")])
    registry.install(Sample.app("a", claims: ["y", "z"], stamp: "2"))
    #expect(["x", "y", "z"].map { registry.handler(of: $0) } == [nil, "a", "a"])
    #expect(registry.applications.map(\.stamp) == ["2"])
  }

  @Test("R1.53 removing an application removes its claims") func remove() {
    var registry = Sample.registry([Sample.app("a", claims: ["x"])])
    registry.remove(propertyList: "/apps/a.app/Info.plist")
    #expect(registry.route(Sample.scheme("x")) == .notFound)
    #expect(!registry.hasHandler(for: Sample.scheme("x")))
    #expect(registry.applications == [])
    #expect(registry.allowlist(of: Sample.id("a")) == nil)
  }

  @Test("a property list whose identifier changes is another application") func renamed() {
    var registry = Sample.registry([Sample.app("a", claims: ["x"], path: "/p")])
    registry.install(Sample.app("b", claims: ["x"], path: "/p"))
    #expect(registry.order(of: "x") == ["b"])
    #expect(registry.application(Sample.id("a")) == nil)
    #expect(registry.application(at: "/p")?.identifier == Sample.id("b"))
  }

  @Test("many changes at once are one change, and installing wins over removing") func batch() {
    var registry = Sample.registry([
      Sample.app("a", claims: ["x"], at: 1), Sample.app("b", claims: ["x"], at: 2),
    ])
    let paths = ["a", "b", "unknown"].map { "/apps/\($0).app/Info.plist" }
    let changed = registry.change(
      removing: paths,
      installing: [Sample.app("b", claims: ["y"]), Sample.app("c", claims: ["x"])]
        .map { ApplicationRecord($0) })
    #expect(changed)
    #expect(registry.generation == 2)
    #expect(registry.order(of: "x") == ["c"])
    #expect(registry.order(of: "y") == ["b"])
    let changedAgain = registry.change(removing: ["unknown"], installing: [])
    #expect(!changedAgain)
    #expect(registry.generation == 2)
  }

  @Test("a property list that is removed twice is removed once") func twice() {
    var registry = Sample.registry([
      Sample.app("a", claims: ["x"], at: 1, path: "/1"),
      Sample.app("a", claims: ["x"], at: 2, path: "/2"),
    ])
    registry.change(removing: ["/2", "/2"], installing: [])
    #expect(registry.application(Sample.id("a"))?.propertyList == "/1")
    #expect(registry.order(of: "x") == ["a"])
  }

  @Test("lists the applications by identifier, without regard to case") func sorted() {
    let registry = Sample.registry(["c", "B", "a"].map { Sample.app($0) })
    #expect(registry.applications.map(\.identifier.text) == ["a", "B", "c"])
    #expect(registry.application(Sample.id("b"))?.identifier.text == "B")
  }
}

@Suite struct `Copies of one application` {
  @Test("T2.5 R2.20 on macOS the highest version is used, compared as numbers") func version() {
    let registry = Sample.registry([
      Sample.app("a", claims: ["x"], on: .macOS, version: "1.2", at: 9, path: "/old"),
      Sample.app("a", claims: ["x"], on: .macOS, version: "1.10", path: "/new"),
    ])
    #expect(registry.copies(of: Sample.id("a")).map(\.propertyList) == ["/new", "/old"])
    #expect(registry.order(of: "x") == ["a"])
    #expect(registry.application(Sample.id("a"))?.propertyList == "/new")
    #expect(registry.application(at: "/old")?.declaration.version == BundleVersion(1, 2))
  }

  @Test(
    "R1.10 on iOS, and on macOS between equal versions, the last installed is used",
    arguments: [(Platform.iOS, "2"), (.macOS, "1")])
  func lastInstalled(_ platform: Platform, _ olderVersion: String) {
    let registry = Sample.registry([
      Sample.app("a", on: platform, version: olderVersion, at: 1, path: "/older"),
      Sample.app("a", on: platform, version: "1", at: 2, path: "/newer"),
    ])
    #expect(registry.application(Sample.id("a"))?.propertyList == "/newer")
  }

  @Test("R2.8 a system copy is used before a newer one") func system() {
    let registry = Sample.registry([
      Sample.app("a", on: .macOS, version: "9", at: 9, path: "/user"),
      Sample.app("a", on: .macOS, system: true, path: "/system"),
    ])
    #expect(registry.application(Sample.id("a"))?.propertyList == "/system")
  }

  @Test("R1.10 when the best is removed the next takes over, with its own claims") func takeOver() {
    var registry = Sample.registry([
      Sample.app("a", claims: ["old", "both"], queries: ["q"], at: 1, path: "/1"),
      Sample.app("a", claims: ["new", "both"], at: 2, path: "/2"),
    ])
    let schemes = ["old", "both", "new"]
    #expect(schemes.map { registry.handler(of: $0) } == [nil, "a", "a"])
    #expect(registry.allowlist(of: Sample.id("a")) == .listed([], surplus: []))
    registry.remove(propertyList: "/2")
    #expect(schemes.map { registry.handler(of: $0) } == ["a", "a", nil])
    #expect(
      registry.allowlist(of: Sample.id("a")) == .listed([Sample.scheme("q")], surplus: []))
    #expect(registry.duplicateDiagnostics == [])
  }

  @Test("R1.10 each copy that is not used gets a diagnostic") func diagnostics() {
    let registry = Sample.registry([
      Sample.app("A", at: 1, path: "/1"), Sample.app("a", at: 3, path: "/3"),
      Sample.app("a", at: 2, path: "/2"), Sample.app("other"),
    ])
    #expect(
      registry.duplicateDiagnostics.map(\.description) == [
        "/1: CFBundleIdentifier: warning: two bundles with one identifier, A; "
          + "/3 is used instead; remove one of them or change its identifier",
        "/2: CFBundleIdentifier: warning: two bundles with one identifier, a; "
          + "/3 is used instead; remove one of them or change its identifier",
      ])
  }
}
