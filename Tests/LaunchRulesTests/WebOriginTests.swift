import LaunchRules
import Testing

@Suite("Where an open comes from") struct WebOriginTests {
  @Test(
    "a browser above the opener makes it the web",
    arguments: [
      (["lsopen", "sh", "chromium"], nil, true),
      (["lsopen", "bash", "gnome-terminal-server"], nil, false),
      (["lsopen"], "/user.slice/app.slice/app-firefox-2049.scope", true),
      (["lsopen"], "/a/app.slice/app-gnome-org.mozilla.firefox-2049.scope", true),
      (["lsopen"], "/a/app-gnome-chromium\\x2dbrowser-77.scope", true),
      (["lsopen"], "/a/app-org.kde.konsole@12ab.service", false),
      (["lsopen"], "/a/session-2.scope", false),
      (["firefox-notes"], "/a/firefox.service", false),
    ] as [([String], String?, Bool)])
  func evidence(_ executables: [String], _ group: String?, _ isWeb: Bool) {
    let finding = WebOrigin().finding(.init(executables: executables, controlGroup: group))
    #expect(finding == (isWeb ? .browser : .program))
  }

  @Test(
    "what a browser leaves in the environment of what opens a link makes it the web",
    arguments: [
      ("chromium.desktop", true), ("google-chrome.desktop", true), ("slack.desktop", false),
      ("", false),
    ])
  func opener(_ desktop: String, _ isWeb: Bool) {
    let variables = ["MM_NOTTTY": "1", "CHROME_DESKTOP": desktop]
    let finding = WebOrigin().finding(.init(executables: ["lsopen"], variables: variables))
    #expect(finding == (isWeb ? .browser : .program))
  }

  @Test(
    "what else a browser leaves in the environment counts where there is no terminal",
    arguments: [
      ("CHROME_DESKTOP", "chromium.desktop", true), ("CHROME_DESKTOP", "slack.desktop", false),
      ("MOZ_CRASHREPORTER_EVENTS_DIRECTORY", "/p/events", true), ("MOZ_LAUNCHED_CHILD", "", true),
      // A user sets it.
      ("MOZ_ENABLE_WAYLAND", "1", false),
    ])
  func environment(_ name: String, _ value: String, _ isWeb: Bool) {
    func finding(_ start: WebOrigin.Start) -> WebOrigin.Finding {
      WebOrigin().finding(
        .init(executables: ["lsopen"], variables: [name: value], start: start))
    }
    #expect(finding(.adopted(among: [])) == (isWeb ? .possible(.environment) : .program))
    #expect(finding(.terminal) == .program)
  }

  @Test(
    "a program that has lost its parent may be started by a browser beside it",
    arguments: [
      (["bash", "firefox-esr"], "firefox-esr"),
      // The kernel has cut them.
      (["chromium-browse"], "chromium-browse"), (["xdg-desktop-por"], "xdg-desktop-por"),
      (["xdg-desktop-portal-gtk"], "xdg-desktop-portal-gtk"),
      (["chromium-brows", "firefox-notes", "xdg-open"], nil), ([], nil),
    ] as [([String], String?)])
  func neighbours(_ programs: [String], _ counts: String?) {
    let finding = WebOrigin().finding(
      .init(executables: ["lsopen"], start: .adopted(among: programs)))
    #expect(finding == (counts.map { .possible(.neighbour($0)) } ?? .program))
  }

  @Test("what a portal has started may come from a page")
  func portal() {
    for evidence in [
      WebOrigin.Evidence(executables: ["lsopen", "xdg-desktop-portal"]),
      .init(executables: ["lsopen"], controlGroup: "/a/session.slice/xdg-desktop-portal.service"),
    ] {
      #expect(WebOrigin().finding(evidence) == .possible(.portal))
    }
  }

  @Test("a start that cannot be known counts as one by a page")
  func unknown() {
    let finding = WebOrigin().finding(.init(executables: ["lsopen"], start: .unknown))
    #expect(finding == .possible(.unknownStart))
  }

  @Test("an application that claims both schemes of the web is a browser") func claimed() throws {
    let identifier = try #require(BundleIdentifier("com.example.browser"))
    let schemes = ["http", "https"].compactMap(URLScheme.init)
    var declaration = ApplicationDeclaration(identifier: identifier)
    func reason() -> WebOrigin.Reason? {
      WebOrigin.reason(
        .program, isLink: false, caller: .application(identifier, .executable),
        opener: InstalledApplication(
          declaration: declaration, propertyList: "/b.plist", folder: "/"))
    }
    declaration.urlTypes = [URLTypeDeclaration(schemes: schemes)]
    #expect(reason() == .registeredBrowser)
    declaration.urlTypes = [URLTypeDeclaration(schemes: Array(schemes.prefix(1)))]
    #expect(reason() == nil)
  }

  @Test("a desktop entry does not make an opener less suspicious than a program that nobody knows")
  func desktopEntry() throws {
    let identifier = try #require(BundleIdentifier("a.desktop"))
    for (origin, reason) in [
      (InstalledApplication.Origin.desktopEntry, WebOrigin.Reason.portal), (.propertyList, nil),
    ] {
      let opener = InstalledApplication(
        declaration: ApplicationDeclaration(identifier: identifier), propertyList: "/a",
        folder: "/", origin: origin)
      #expect(
        WebOrigin.reason(
          .possible(.portal), isLink: false, caller: .application(identifier, .unit),
          opener: opener) == reason)
    }
  }
}

@Suite("The display of a caller") struct DisplayTests {
  @Test("is that of X or of Wayland, with the key of X, and nothing else")
  func display() {
    func display(_ variables: [String: String]) -> [String: String] {
      CallerVariables.display(in: variables)
    }
    let all = ["DISPLAY": ":1", "WAYLAND_DISPLAY": "wayland-0", "XAUTHORITY": "/key"]
    #expect(display(all.merging(["MOZ_LAUNCHED_CHILD": "1"]) { $1 }) == all)
    #expect(display(["WAYLAND_DISPLAY": "w", "DISPLAY": ""]) == ["WAYLAND_DISPLAY": "w"])
    #expect(display(["XAUTHORITY": "/key"]) == [:])
    #expect(display(["DISPLAY": "", "XAUTHORITY": "/key"]) == [:])
  }
}

@Suite("How far it is known who started a process") struct StartChainTests {
  private typealias Link = StartChain.Link
  private let root = Link(pid: 1, session: 1)
  private let manager = Link(pid: 90, session: 90, program: "systemd")

  @Test("a shell at a terminal is where the chain begins") func shell() {
    let chain = [
      Link(pid: 9, session: 5, hasTerminal: true), Link(pid: 5, session: 5, hasTerminal: true),
      Link(pid: 4, session: 3), root,
    ]
    #expect(StartChain.adopted(in: chain) == nil)
  }

  @Test("a program that GIO has started at the terminal of a browser has lost its parent")
  func terminalOfBrowser() {
    // The shell, process 5, is not above it.
    #expect(
      StartChain.adopted(in: [Link(pid: 9, session: 5, hasTerminal: true), root]) == 0)
    #expect(
      StartChain.adopted(in: [
        Link(pid: 9, session: 5, hasTerminal: true), Link(pid: 8, session: 5, hasTerminal: true),
        manager, root,
      ]) == 1)
  }

  @Test("a terminal that was made for the program itself is nobody's") func ownTerminal() {
    let chain = [
      Link(pid: 9, session: 9, hasTerminal: true), Link(pid: 4, session: 3, program: "xterm"), root,
    ]
    #expect(StartChain.adopted(in: chain) == 1)
  }

  @Test("a process in another session than its parent was adopted, unless it leads its own")
  func subreaper() {
    let reaper = Link(pid: 7, session: 3)
    #expect(StartChain.adopted(in: [Link(pid: 9, session: 5), reaper, root]) == 0)
    #expect(StartChain.adopted(in: [Link(pid: 9, session: 9), reaper, root]) == 1)
  }

  @Test("a command that makes a bus for another one keeps its terminal") func ownBus() {
    let command = Link(pid: 11, session: 9, hasTerminal: true)
    let bus = StartChain.Link(pid: 10, session: 9, hasTerminal: true, program: "dbus-run-session")
    #expect(
      StartChain.adopted(in: [command, bus, Link(pid: 9, session: 9, hasTerminal: true), root])
        == nil)
  }

  @Test("what the kernel does not show ends the chain") func end() {
    #expect(StartChain.adopted(in: [Link(pid: 9, session: 5), Link(pid: 8, session: 5)]) == 1)
    #expect(StartChain.adopted(in: []) == nil)
  }

  @Test(
    "a process that leads its session is adopted by process 1 and by reapers",
    arguments: [
      StartChain.Link(pid: 1, session: 1, program: "init"),
      StartChain.Link(pid: 90, session: 3, program: "systemd"),
      StartChain.Link(pid: 90, session: 3, program: "tini"),
      StartChain.Link(pid: 90, session: 9, program: "lxqt-session"),
      StartChain.Link(pid: 90, session: 9, program: "gnome-session-binary"),
      StartChain.Link(pid: 90, session: 9, program: "conmon"),
    ])
  func reapers(_ parent: StartChain.Link) {
    let end = parent.pid == 1 ? [] : [root]
    #expect(StartChain.adopted(in: [Link(pid: 9, session: 9), parent] + end) == 0)
  }

  @Test(
    "a browser with another bus and another runtime folder is of another session; what is unknown is not",
    arguments: [
      ("unix:path=/run/b", "/run/user/b", true), ("unix:path=/run/b", "/run/user/a/", false),
      ("unix:path=/run/a,guid=7", "/run/user/b", false), ("unix:path=/run/b", nil, false),
      (nil, "/run/user/b", false), (nil, nil, false), ("", "", false),
    ] as [(String?, String?, Bool)])
  func otherSession(_ bus: String?, _ folder: String?, _ isOther: Bool) {
    var variables: [String: String] = [:]
    variables["DBUS_SESSION_BUS_ADDRESS"] = bus
    variables["XDG_RUNTIME_DIR"] = folder
    let own = [
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/a,guid=8", "XDG_RUNTIME_DIR": "/run/user/a",
    ]
    #expect(WebOrigin.isOfOtherSession(variables, than: own) == isOther)
    #expect(!WebOrigin.isOfOtherSession(variables, than: [:]))
    variables["LAUNCH_SERVICES_SOCKET"] = "/run/user/a/launch-services/socket"
    #expect(!WebOrigin.isOfOtherSession(variables, than: own))
  }
}
