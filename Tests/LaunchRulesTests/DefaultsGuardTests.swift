import Testing

@testable import LaunchRules

@Suite("The guard of default applications") struct DefaultsGuardTests {
  private static let defaults = AssociationChange.defaults
  private static let added = AssociationChange.added
  private static let removed = AssociationChange.removed

  /// The types of the lines that are taken back, with the reasons. `web`, `other` and `app` are installed.
  private func restored(
    _ before: [String: String], _ after: [String: String], group: String = defaults,
    rule: DefaultsGuardRule = .init(), declared: [String] = [], ofOthers: [String] = [],
    lists: [Associations] = []
  ) -> [String] {
    let old = Associations([group: before])
    let new = Associations([group: after])
    let installed = DefaultsGuardRule.Installed(
      declares: { $0 == "app.desktop" && declared.contains($1) },
      contains: { ["web.desktop", "other.desktop", "app.desktop"].contains($0) },
      hasOther: { $0 == "app.desktop" && ofOthers.contains($1) })
    return rule.restored(old.changes(to: new), in: [old] + lists, installed)
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
    #expect(DefaultsGuardRule().restored(old.changes(to: new), in: [old], installed).count == 2)
  }

  @Test("A line takes the default that an application has by another list, or by another group")
  func otherLists() {
    let type = "x-scheme-handler/app"
    let taken = [type: "app.desktop"]
    let list = Associations([Self.defaults: [type: "web.desktop"]])
    #expect(restored([:], taken, declared: [type]) == [])
    #expect(restored([:], taken, declared: [type], lists: [list]) == ["\(type) default-taken"])
    #expect(
      restored([:], taken, group: Self.added, declared: [type], lists: [list])
        == ["\(type) association-taken"])
    let added = Associations([Self.added: [type: "web.desktop;"]])
    #expect(restored([:], taken, declared: [type], lists: [added]) == ["\(type) default-taken"])
    // The same application, and one that is no longer installed, lose nothing.
    let gone = Associations([Self.defaults: [type: "app.desktop;gone.desktop"]])
    #expect(restored([:], taken, declared: [type], lists: [gone]) == [])
    #expect(
      restored([type: "gone.desktop;web.desktop"], taken, declared: [type])
        == ["\(type) default-taken"])
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

  @Test("A change that could not be taken back is tried 12 times, after 2 s to an hour")
  func failures() {
    #expect(RestorePace.delay(afterFailures: 1) == 2_000_000)
    #expect(RestorePace.delay(afterFailures: 2) == 4_000_000)
    #expect(RestorePace.delay(afterFailures: 11) == 2_048_000_000)
    #expect(RestorePace.delay(afterFailures: 12) == nil)
    #expect(RestorePace.delay(afterFailures: .max) == nil)
    #expect(RestorePace.delay(afterFailures: 0) == nil)
  }

  private static func change(_ type: String) -> AssociationChange {
    .init(group: defaults, type: type, before: nil, after: "a.desktop")
  }

  private func isUser(
    _ executable: String, _ arguments: [String] = [], script: String? = nil,
    ofTerminal: Bool = false, hasListOpen: Bool = false,
    changing types: [String] = ["x-scheme-handler/mailto", "text/plain"]
  ) -> Bool {
    let processes: [UserChoiceRule.Process] = [
      .init(
        executable: "/usr/bin/python3.11", arguments: ["python3", "unrelated"], script: nil,
        isOfTerminal: true, hasListOpen: true),
      .init(
        executable: executable, arguments: arguments, script: script, isOfTerminal: ofTerminal,
        hasListOpen: hasListOpen),
    ]
    let choosers = Set(processes.compactMap(UserChoiceRule.chooser))
    guard !types.isEmpty else { return UserChoiceRule.isOfAllLines(choosers) }
    let changes = types.map(Self.change)
    return UserChoiceRule.chosen(changes, by: choosers) == changes
  }

  @Test(
    "The user chooses in a file manager for the types of files, not for schemes and web pages",
    arguments: [
      "caja", "dolphin", "io.elementary.files", "nautilus", "nemo", "pcmanfm", "pcmanfm-qt",
      "thunar",
    ])
  func fileManagers(_ program: String) {
    let file = "/usr/bin/" + program
    #expect(isUser(file, changing: ["text/plain"]))
    #expect(isUser(file, changing: ["image/png", "image/jpeg"]))
    #expect(!isUser(file, changing: ["image/png", "x-scheme-handler/mailto"]))
    #expect(!isUser(file, changing: ["text/html"]))
    #expect(!isUser(file, changing: []))
    #expect(!isUser("/home/u/bin/" + program, changing: ["text/plain"]))
  }

  @Test("The user chooses in the settings of the desktop, while one of their programs runs")
  func settings() {
    #expect(UserChoiceRule.chosen([Self.change("text/plain")], by: []) == [])
    #expect(isUser("/usr/bin/gnome-control-center"))
    #expect(!isUser("/usr/libexec/gnome-control-center-search-provider"))
    #expect(isUser("/usr/bin/systemsettings"))
    #expect(!isUser("/home/u/bin/systemsettings"))
    #expect(UserChoiceRule.mayChoose("/usr/bin/systemsettings"))
    #expect(!UserChoiceRule.mayChoose("/home/u/bin/systemsettings"))
    #expect(!UserChoiceRule.mayChoose("/usr/bin/firefox"))
  }

  @Test("The user chooses with a command that changes the lists, of a terminal's shell")
  func commands() {
    let gio = ["gio", "mime", "text/plain", "a.desktop"]
    #expect(isUser("/usr/bin/gio", gio, ofTerminal: true, changing: ["text/plain"]))
    #expect(!isUser("/usr/bin/gio", gio, ofTerminal: true, changing: ["text/plain", "text/html"]))
    #expect(!isUser("/usr/bin/gio", gio, changing: ["text/plain"]))
    #expect(!isUser("/usr/bin/gio", gio.dropLast(), ofTerminal: true))
    #expect(!isUser("/usr/bin/gio", ["gio", "monitor", "mime", "a", "b"], ofTerminal: true))
    #expect(!isUser("/usr/bin/firefox", gio, ofTerminal: true))
    let kwrite = ["kwriteconfig6", "--file", "mimeapps.list", "--group", "g", "--key", "k", "v"]
    #expect(isUser("/usr/bin/kwriteconfig6", kwrite, ofTerminal: true))
    #expect(
      !isUser("/usr/bin/kwriteconfig6", ["kwriteconfig6", "--file", "krc"], ofTerminal: true))
  }

  @Test(
    "Of the lines that a command changes, those of the types in its command line are the user's",
    arguments: [
      ("gio mime --any x-scheme-handler/a a.desktop", ["x-scheme-handler/a"]),
      ("xdg-mime default a.desktop text/plain image/png", ["text/plain", "image/png"]),
      ("xdg-settings set default-url-scheme-handler a a.desktop", ["x-scheme-handler/a"]),
      (
        "xdg-settings set default-web-browser a.desktop",
        ["text/html", "x-scheme-handler/https"]
      ),
      ("xdg-settings set other a.desktop", []),
    ])
  func typesOfCommands(line: String, types: [String]) {
    let words = line.split(separator: " ").map(String.init)
    let process = UserChoiceRule.Process(
      executable: "/usr/bin/" + words[0], arguments: words, script: nil, isOfTerminal: true,
      hasListOpen: false)
    let changes =
      [
        "text/html", "x-scheme-handler/https", "x-scheme-handler/a", "text/plain", "image/png",
        "a/b",
      ]
      .map(Self.change)
    #expect(
      Set(
        UserChoiceRule.chosen(
          changes, by: Set([UserChoiceRule.chooser(process)].compactMap(\.self))
        ).map(\.type))
        == Set(types))
  }

  @Test(
    "Of these lines, those that choose the named application only are the user's",
    arguments: [
      (defaults, "b.desktop", "a.desktop", true),
      (defaults, "b.desktop;a.desktop;", "a.desktop;b.desktop;", true),
      (defaults, "a.desktop", "b.desktop", false),
      (defaults, "b.desktop", "a.desktop;c.desktop", false),
      (defaults, "b.desktop", nil, false),
      (AssociationChange.added, "b.desktop;", "a.desktop;b.desktop;", true),
      (AssociationChange.added, "b.desktop;", "b.desktop;a.desktop;", true),
      (AssociationChange.added, "a.desktop;b.desktop;", "b.desktop;", false),
      (AssociationChange.added, "b.desktop;", "c.desktop;a.desktop;b.desktop;", false),
      (AssociationChange.removed, "a.desktop;b.desktop;", "b.desktop;", true),
      (AssociationChange.removed, "b.desktop;", "a.desktop;b.desktop;", false),
      (AssociationChange.removed, "b.desktop;", nil, false),
      ("Other", nil, "a.desktop", false),
    ] as [(String, String?, String?, Bool)])
  func applicationsOfCommands(group: String, before: String?, after: String?, isUser: Bool) {
    let change = AssociationChange(group: group, type: "a/b", before: before, after: after)
    for line in [
      "gio mime a/b a.desktop", "xdg-mime default a.desktop a/b",
      "xdg-mime default x/a.desktop a/b",
    ] {
      let words = line.split(separator: " ").map(String.init)
      let chooser = UserChoiceRule.chooser(
        .init(
          executable: "/usr/bin/" + words[0], arguments: words, script: nil, isOfTerminal: true,
          hasListOpen: false))
      let choosers = Set([chooser].compactMap(\.self))
      #expect(choosers.allSatisfy(\.countsAfterEnd) && !choosers.isEmpty)
      #expect(UserChoiceRule.chosen([change], by: choosers) == (isUser ? [change] : []))
    }
  }

  @Test("Only a command whose command line names types and the application counts after its end")
  func afterEnd() {
    typealias Chooser = UserChoiceRule.Chooser
    #expect(Chooser.command(types: ["a/b"], application: "a.desktop").countsAfterEnd)
    let others: [Chooser] = [
      .settings, .fileManager, .command(types: nil), .command(types: ["a/b"]),
      .command(types: [], application: "a.desktop"), .command(types: ["a/b"], application: ""),
    ]
    #expect(others.allSatisfy { !$0.countsAfterEnd })
  }

  @Test("An editor or a copy counts only with a list among its arguments or its open files")
  func editors() {
    for program in ["vim.basic", "nano", "sed", "cp"] {
      let file = "/usr/bin/" + program
      #expect(!isUser(file, [program, "notes.txt"], ofTerminal: true))
      #expect(isUser(file, [program, "/home/u/.config/mimeapps.list"], ofTerminal: true))
      #expect(isUser(file, [program, "gnome-mimeapps.list"], ofTerminal: true))
      #expect(!isUser(file, [program, "mimeapps.list"]))
      #expect(isUser(file, [program], ofTerminal: true, hasListOpen: true))
    }
  }

  @Test("A script counts by its file, not by its name: only one of root in a folder of the system")
  func scripts() {
    let path = "/usr/bin/xdg-mime"
    let words = ["/bin/sh", path, "default", "a.desktop", "text/plain"]
    #expect(
      isUser("/usr/bin/dash", words, script: path, ofTerminal: true, changing: ["text/plain"]))
    #expect(!isUser("/usr/bin/dash", words, script: path))
    #expect(!isUser("/usr/bin/dash", words, ofTerminal: true))
    #expect(!isUser("/usr/bin/dash", ["sh", path, "query"], script: path, ofTerminal: true))
    for name in ["xdg-mime", "gnome-control-center", "nautilus"] {
      let own = "/home/u/" + name
      #expect(
        !isUser(
          "/usr/bin/bash", ["/bin/bash", own, "default", "a", "b"], script: own, ofTerminal: true,
          changing: ["text/plain"]))
    }
    let dash = "/usr/bin/dash"
    #expect(UserChoiceRule.scriptPath(in: words, of: dash) == path)
    #expect(UserChoiceRule.scriptPath(in: ["sh", "-c", path], of: dash) == nil)
    #expect(UserChoiceRule.scriptPath(in: ["sh", "xdg-mime"], of: dash) == nil)
    #expect(UserChoiceRule.scriptPath(in: ["sh"], of: dash) == nil)
    #expect(UserChoiceRule.scriptPath(in: words, of: "/usr/bin/gio") == nil)
  }
}
