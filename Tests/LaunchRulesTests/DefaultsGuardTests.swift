import Testing

@testable import LaunchRules

@Suite("The guard of default applications") struct DefaultsGuardTests {
  private static let defaults = AssociationChange.defaults
  private static let added = AssociationChange.added

  /// The types of the defaults that are taken back, with the reasons.
  private func restored(
    _ before: [String: String], _ after: [String: String], added: [String: String] = [:],
    rule: DefaultsGuardRule = .init(), declared: [String] = []
  ) -> [String] {
    let old = Associations([Self.defaults: before])
    let new = Associations([Self.defaults: after, Self.added: added])
    return rule.restored(old.changes(to: new), in: new) {
      $0 == "app.desktop" && declared.contains($1)
    }
    .map { "\($0.change.type) \($0.reason.rawValue)" }
  }

  @Test("Changes are the lines that differ, sorted; only another first application is a default")
  func changes() {
    let old = Associations([
      Self.defaults: ["a/a": "x.desktop", "a/b": "x.desktop;y.desktop;", "a/c": "x.desktop"],
      "Removed Associations": ["a/a": "z.desktop"],
    ])
    let new = Associations([
      Self.defaults: [
        "a/a": "y.desktop;x.desktop;", "a/b": "x.desktop", "a/c": "x.desktop", "a/d": "y.desktop",
      ]
    ])
    let changes = old.changes(to: new)
    #expect(
      changes.map { "\($0.group) \($0.type) \($0.newDefault ?? "-")" } == [
        "Default Applications a/a y.desktop", "Default Applications a/b -",
        "Default Applications a/d y.desktop", "Removed Associations a/a -",
      ])
    #expect(new.changes(to: old).map(\.reversed) == changes)
    #expect(old.changes(to: old).isEmpty)
  }

  @Test("xdg-settings: a scheme and web pages at once; the scheme stays, the web pages come back")
  func webPages() {
    let web = ["text/html": "web.desktop"]
    let taken = ["text/html": "app.desktop", "x-scheme-handler/app": "app.desktop"]
    #expect(restored(web, taken) == ["text/html undeclared-type-with-scheme"])
    #expect(restored(web, taken, declared: ["text/html"]) == ["text/html web-pages-with-scheme"])
    #expect(restored([:], taken, declared: ["text/html"]) == ["text/html web-pages-with-scheme"])
  }

  @Test("A browser that becomes the default browser stays") func browser() {
    let web = ["text/html": "web.desktop", "x-scheme-handler/https": "web.desktop"]
    let taken = [
      "text/html": "app.desktop", "x-scheme-handler/http": "app.desktop",
      "x-scheme-handler/https": "app.desktop",
    ]
    #expect(restored(web, taken, declared: ["text/html"]) == [])
  }

  @Test("Types of documents that an application declares stay, also together with its scheme")
  func documents() {
    let taken = ["application/x-app": "app.desktop", "x-scheme-handler/app": "app.desktop"]
    #expect(restored([:], taken, declared: ["application/x-app"]) == [])
    #expect(restored([:], taken) == ["application/x-app undeclared-type-with-scheme"])
    // Without a scheme this is xdg-mime, called by the user or by a program: nobody can know.
    #expect(restored([:], ["application/x-app": "app.desktop"]) == [])
    #expect(restored(["text/html": "web.desktop"], ["text/html": "app.desktop"]) == [])
  }

  @Test("What the desktop's settings choose stays: they add the association, too") func chosen() {
    let taken = ["text/html": "app.desktop", "x-scheme-handler/app": "app.desktop"]
    #expect(restored([:], taken, added: ["text/html": "app.desktop;"]) == [])
    #expect(restored([:], taken, added: ["text/html": "other.desktop;"]).count == 1)
  }

  @Test("What the user has undone is taken back when it comes again, unless the user allows it")
  func undone() {
    var rule = DefaultsGuardRule(
      undone: [.init(type: "x-scheme-handler/mailto", application: "app.desktop")])
    let taken = ["x-scheme-handler/mailto": "app.desktop"]
    #expect(restored([:], taken, rule: rule) == ["x-scheme-handler/mailto undone-before"])
    #expect(restored([:], ["x-scheme-handler/mailto": "b.desktop"], rule: rule) == [])
    #expect(restored([:], ["x-scheme-handler/sms": "app.desktop"], rule: rule) == [])
    #expect(
      restored([:], taken, added: ["x-scheme-handler/mailto": "app.desktop"], rule: rule) == [])
    rule.allowed = ["app.desktop"]
    #expect(restored([:], taken, rule: rule) == [])
  }
}
