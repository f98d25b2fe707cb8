import Testing

@testable import LaunchRules

@Suite("The guard of default applications") struct DefaultsGuardTests {
  private static let defaults = AssociationChange.defaults
  private static let added = AssociationChange.added
  private static let removed = AssociationChange.removed

  /// The types of the lines that are taken back, with the reasons. `web`, `other` and `app` are installed.
  private func restored(
    _ before: [String: String], _ after: [String: String], group: String = defaults,
    rule: DefaultsGuardRule = .init(), declared: [String] = [], ofOthers: [String] = []
  ) -> [String] {
    let old = Associations([group: before])
    let new = Associations([group: after])
    let installed = DefaultsGuardRule.Installed(
      declares: { $0 == "app.desktop" && declared.contains($1) },
      contains: { ["web.desktop", "other.desktop", "app.desktop"].contains($0) },
      hasOther: { $0 == "app.desktop" && ofOthers.contains($1) })
    return rule.restored(old.changes(to: new), installed)
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

  @Test(
    "A default that another installed application had comes back, alone or with others",
    arguments: ["text/html", "x-scheme-handler/https", "image/png"])
  func takenDefault(type: String) {
    let web = [type: "web.desktop"]
    #expect(restored(web, [type: "app.desktop"], declared: [type]) == ["\(type) default-taken"])
    #expect(
      restored(web, [type: "app.desktop;web.desktop;"], declared: [type])
        == ["\(type) default-taken"])
    #expect(restored(web, [:]) == ["\(type) default-removed"])
    // There was no line: the default was that of an application which declares the type.
    #expect(restored([:], [type: "app.desktop"], declared: [type]) == [])
    #expect(
      restored([:], [type: "app.desktop"], declared: [type], ofOthers: [type])
        == ["\(type) default-taken"])
    // Nothing is taken from an application that is no longer installed.
    #expect(restored([type: "gone.desktop"], [type: "app.desktop"], declared: [type]) == [])
    #expect(restored([type: "gone.desktop"], [:]) == [])
    #expect(restored([type: "web.desktop"], [type: "web.desktop;app.desktop"]) == [])
  }

  @Test(
    "Types of documents that only this application declares stay, also together with its scheme")
  func documents() {
    let taken = ["application/x-app": "app.desktop", "x-scheme-handler/app": "app.desktop"]
    #expect(restored([:], taken, declared: ["application/x-app"]) == [])
    #expect(restored([:], taken) == ["application/x-app undeclared-type-with-scheme"])
    #expect(restored([:], ["application/x-app": "app.desktop"]) == [])
  }

  @Test("Associations that an application adds for itself do not count as the user's choice")
  func added() {
    let taken = ["text/html": "app.desktop;"]
    #expect(
      restored([:], taken, group: Self.added, ofOthers: ["text/html"])
        == ["text/html association-taken"])
    #expect(
      restored(
        ["text/html": "web.desktop;"], ["text/html": "app.desktop;web.desktop;"], group: Self.added)
        == ["text/html association-taken"])
    #expect(
      restored(
        ["text/html": "web.desktop;other.desktop"], ["text/html": "web.desktop"], group: Self.added)
        == ["text/html association-taken"])
    #expect(restored(["text/html": "web.desktop;"], [:], group: Self.added).count == 1)
    // The last place takes nothing from another application.
    #expect(
      restored(
        ["text/html": "web.desktop;"], ["text/html": "web.desktop;app.desktop;"], group: Self.added)
        == [])
    #expect(restored([:], taken, group: Self.added) == [])
    let rule = DefaultsGuardRule(allowed: ["app.desktop"])
    #expect(restored([:], taken, group: Self.added, rule: rule, ofOthers: ["text/html"]) == [])
    let old = Associations([Self.defaults: ["text/html": "web.desktop"]])
    let new = Associations([
      Self.defaults: ["text/html": "app.desktop"], Self.added: ["text/html": "app.desktop;"],
    ])
    let installed = DefaultsGuardRule.Installed(
      declares: { _, _ in true }, contains: { _ in true }, hasOther: { _, _ in true })
    #expect(DefaultsGuardRule().restored(old.changes(to: new), installed).count == 2)
  }

  @Test("Another list of removed associations comes back") func removed() {
    let line = ["text/html": "web.desktop;"]
    #expect(restored([:], line, group: Self.removed) == ["text/html removal-changed"])
    #expect(restored(line, [:], group: Self.removed) == ["text/html removal-changed"])
    #expect(restored(line, ["text/html": "web.desktop"], group: Self.removed) == [])
    let rule = DefaultsGuardRule(allowed: ["web.desktop"])
    #expect(restored(line, [:], group: Self.removed, rule: rule) == [])
    #expect(restored([:], line, group: Self.removed, rule: rule).count == 1)
    #expect(restored([:], line, group: "Other") == [])
  }

  @Test("What the user has undone is taken back when it comes again, unless the user allows it")
  func undone() {
    var rule = DefaultsGuardRule(
      undone: [.init(type: "x-scheme-handler/mailto", application: "app.desktop")])
    let taken = ["x-scheme-handler/mailto": "app.desktop"]
    #expect(restored([:], taken, rule: rule) == ["x-scheme-handler/mailto undone-before"])
    #expect(restored([:], ["x-scheme-handler/mailto": "b.desktop"], rule: rule) == [])
    #expect(restored([:], ["x-scheme-handler/sms": "app.desktop"], rule: rule) == [])
    rule.allowed = ["app.desktop"]
    #expect(restored([:], taken, rule: rule) == [])
    #expect(restored(["x-scheme-handler/mailto": "web.desktop"], taken, rule: rule) == [])
  }

  @Test("Six changes in a row: the sixth is taken back when the first is a minute old") func pace()
  {
    let second: UInt64 = 1_000_000
    let times = (0..<5).map { 1000 * second + $0 * second }
    #expect(RestorePace.delay(after: [], now: 0) == 0)
    #expect(RestorePace.delay(after: Array(times.prefix(4)), now: 1005 * second) == 0)
    #expect(RestorePace.delay(after: times, now: 1005 * second) == 55 * second)
    #expect(RestorePace.delay(after: times.reversed(), now: 1059 * second) == second)
    #expect(RestorePace.delay(after: times, now: 1060 * second) == 0)
    // The clock was set back.
    #expect(RestorePace.delay(after: times, now: 10 * second) == 0)
  }

  private func isUser(_ executable: String, _ name: String, ofTerminal: Bool = false) -> Bool {
    isUser(executable, name, ofTerminal: ofTerminal, ["x-scheme-handler/mailto", "text/plain"])
  }

  private func isUser(
    _ executable: String, _ name: String, ofTerminal: Bool = false, _ types: [String]
  ) -> Bool {
    let processes: [UserChoiceRule.Process] = [
      .init(executable: "/usr/bin/python3.11", name: "unrelated", isOfTerminal: true),
      .init(executable: executable, name: name, isOfTerminal: ofTerminal),
    ]
    return UserChoiceRule.isChosenByUser(
      Set(processes.compactMap(UserChoiceRule.chooser)), changing: types)
  }

  @Test(
    "The user chooses in a file manager for the types of files, not for schemes and web pages",
    arguments: [
      "caja", "dolphin", "io.elementary.files", "nautilus", "nemo", "pcmanfm", "pcmanfm-qt",
      "thunar",
    ])
  func fileManagers(_ program: String) {
    let file = "/usr/bin/" + program
    #expect(isUser(file, program, ["text/plain"]))
    #expect(isUser(file, program, ["image/png", "image/jpeg"]))
    #expect(!isUser(file, program, ["image/png", "x-scheme-handler/mailto"]))
    #expect(!isUser(file, program, ["text/html"]))
    #expect(!isUser(file, program, []))
    #expect(!isUser("/home/u/bin/" + program, program, ["text/plain"]))
  }

  @Test(
    "The user chooses in the settings of the desktop, and with commands of the terminal's shell")
  func choices() {
    #expect(!UserChoiceRule.isChosenByUser([], changing: ["text/plain"]))
    #expect(isUser("/usr/bin/gnome-control-center", "gnome-control-c"))
    #expect(!isUser("/usr/libexec/gnome-control-center-search-provider", "gnome-control-c"))
    #expect(isUser("/usr/bin/systemsettings", "systemsettings"))
    #expect(!isUser("/home/u/bin/systemsettings", "systemsettings"))
    #expect(isUser("/usr/bin/python3.11", "cinnamon-settin"))
    #expect(isUser("/usr/bin/gio", "gio", ofTerminal: true))
    #expect(!isUser("/usr/bin/gio", "gio"))
    #expect(isUser("/usr/bin/dash", "xdg-mime", ofTerminal: true))
    #expect(!isUser("/usr/bin/dash", "xdg-mime"))
    #expect(!isUser("/usr/bin/dash", "sh", ofTerminal: true))
    #expect(!isUser("/usr/bin/firefox", "gio", ofTerminal: true))
    #expect(isUser("/usr/bin/vim.basic", "vim", ofTerminal: true))
  }
}
