import LaunchRules
import Testing

@Suite("Units of applications") struct ApplicationUnitTests {
  @Test(
    "A unit is named after the launcher and the escaped identifier",
    arguments: [
      ("com.example.photos", "app-launchservices-com.example.photos@0a1b.service"),
      ("com.example.my-app", #"app-launchservices-com.example.my\x2dapp@0a1b.service"#),
      ("3D.-x", #"app-launchservices-3D.\x2dx@0a1b.service"#),
    ])
  func naming(_ identifier: String, _ name: String) throws {
    let identifier = try #require(BundleIdentifier(identifier))
    #expect(ApplicationUnit.name(for: identifier, random: "0a1b") == name)
    #expect(ApplicationUnit.isOurs(name))
    #expect(ApplicationUnit.identifier(in: name) == identifier)
  }

  @Test("The name of a unit may have 255 bytes") func longest() throws {
    let rest = "app-launchservices-@0a1b.service".utf8.count
    let fits = try #require(BundleIdentifier(String(repeating: "a", count: 255 - rest)))
    #expect(ApplicationUnit.name(for: fits, random: "0a1b")?.utf8.count == 255)
    let more = try #require(BundleIdentifier(String(repeating: "a", count: 256 - rest)))
    #expect(ApplicationUnit.name(for: more, random: "0a1b") == nil)
  }

  @Test(
    "A name with an incomplete escape, or with a sign in an escape, is nobody's",
    arguments: [#"a\x"#, #"a\x4"#, #"a\y41"#, #"a\x+ab"#, #"a\x-0b"#, #"a\xg1"#])
  func escapes(_ text: String) {
    #expect(ApplicationUnit.candidates(in: "dbus-:1.2-\(text)@1.service") == [])
    #expect(ApplicationUnit.candidates(in: "app-launchservices-\(text)@1.service") == [])
  }

  @Test("The bytes of an object's name are two digits each") func digits() {
    let start = "/org/freedesktop/systemd1/unit/"
    #expect(ApplicationUnit.objectPath(of: "a\u{f}\u{10}9") == start + "a_0f_109")
    #expect(ApplicationUnit.objectPath(of: "9a") == start + "_39a")
  }

  @Test("An identifier may be too long for the name of a unit") func tooLong() throws {
    let long = try #require(BundleIdentifier(String(repeating: "a", count: 255)))
    #expect(ApplicationUnit.name(for: long, random: "0a1b") == nil)
    let dashes = try #require(BundleIdentifier("a" + String(repeating: "-", count: 100)))
    #expect(ApplicationUnit.name(for: dashes, random: "0a1b") == nil)
  }

  @Test(
    "The forms of the desktop environments",
    arguments: [
      ("app-org.example.App.service", "org.example.App"),
      ("app-org.example.App@autostart.service", "org.example.App"),
      ("app-org.example.App-autostart.service", "org.example.App"),
      ("app-autostart.service", "autostart"),
      ("app-gnome-org.example.App@1234.service", "org.example.App"),
      ("app-KDE-org.example.App.service", "org.example.App"),
      ("app-org.example.App-1234.scope", "org.example.App"),
      ("app-gnome-org.example.App-1234.scope", "org.example.App"),
      (#"app-gnome-org.example.my\x2dapp-1234.scope"#, "org.example.my-app"),
      (#"app-my\x2dlauncher-org.example.App-1234.scope"#, "org.example.App"),
      ("app-org.example.App@.service", "org.example.App"),
    ])
  func forms(_ name: String, _ identifier: String) {
    #expect(ApplicationUnit.identifier(in: name)?.text == identifier)
  }

  @Test(
    "What names no application",
    arguments: [
      "", "app-", "app-.service", "app.slice", "app-org.example.App.slice", "app-org.example.scope",
      "dbus.service", "xapp-org.example.App.service", "app--org.example.App.service",
      "app-a-b-org.example.App@1.service", "app-a-b-org.example.App-1.scope",
      #"app-org.example\x2.service"#, #"app-org.example\xzz.service"#, #"app-org\x+1.service"#,
      #"app-org.example\y41.service"#, #"app-org.example\xff.service"#, #"app-org\x2fetc.service"#,
      #"app-org.example\"#, "app-gnome-@1.service", "app-org.example App.service",
    ])
  func noApplication(_ name: String) {
    #expect(ApplicationUnit.identifier(in: name) == nil)
  }

  @Test("The object of a unit has its name with every other byte escaped") func objectPath() {
    #expect(
      ApplicationUnit.objectPath(of: #"app-a.my\x2dapp@0f.service"#)
        == "/org/freedesktop/systemd1/unit/app_2da_2emy_5cx2dapp_400f_2eservice")
    #expect(
      ApplicationUnit.objectPath(of: "1a.service")
        == "/org/freedesktop/systemd1/unit/_31a_2eservice")
  }

  private static let manager = "/user.slice/user-1000.slice/user@1000.service"

  @Test(
    "The unit of a process is the outermost group below the slices of the manager",
    arguments: [
      ("/app.slice/app-a.b@1.service", "app-a.b@1.service"),
      ("/app.slice/app-x.slice/app-a.b-1.scope", "app-a.b-1.scope"),
      ("/app.slice/app-a.b@1.service/app-c.d@1.service", "app-a.b@1.service"),
      ("/app.slice/app-a.b@1.service/inner/group", "app-a.b@1.service"),
      ("/init.scope", "init.scope"), ("/app.slice", nil), ("", nil),
      ("/group/app-a.b@1.service", nil),
    ] as [(String, String?)])
  func unit(_ path: String, _ name: String?) {
    #expect(
      UnitOfControlGroup.unit(of: Self.manager + path, below: Self.manager, user: 1000) == name)
    #expect(UnitOfControlGroup.unit(of: Self.manager + path, below: nil, user: 1000) == name)
    #expect(UnitOfControlGroup.unit(of: "/tests" + path, below: "/tests", user: 0) == name)
  }

  @Test(
    "Groups elsewhere are nobody's units",
    arguments: [
      "/app.slice/app-a.b@1.service", "/", "/system.slice/app-a.b.service",
      "/user.slice/user-1001.slice/user@1001.service/app.slice/app-a.b@1.service",
      "/user.slice/user-1000.slice/session-1.scope/user@1000.service/app-a.b@1.service",
      "/user.slice/user-1000.slice/user@1000.serviceX/app-a.b@1.service",
    ])
  func elsewhere(_ path: String) {
    #expect(UnitOfControlGroup.unit(of: path, below: nil, user: 1000) == nil)
    #expect(UnitOfControlGroup.unit(of: path, below: Self.manager, user: 1000) == nil)
  }

  @Test(
    "a unit belongs to a property list or a desktop entry of this name",
    arguments: [
      ("app-gnome-firefox\\x2desr-2049.scope", ["firefox-esr", "firefox-esr.desktop"]),
      (
        "app-launchservices-firefox\\x2desr.desktop@1.service",
        ["firefox-esr.desktop", "firefox-esr.desktop.desktop"]
      ),
      (
        "snap.firefox.firefox-3ab2c6d4-0a9c-4a53-9d2e-0b4a5d1c7e11.scope",
        ["firefox_firefox.desktop"]
      ),
      (
        "snap.code.url-handler.3ab2c6d4-0a9c-4a53-9d2e-0b4a5d1c7e11.scope",
        ["code_url-handler.desktop"]
      ),
      ("dbus-:1.2-org.gnome.Maps@0.service", ["org.gnome.Maps.desktop"]),
      ("session-2.scope", []), ("snap.firefox.hook.configure.service", []),
      ("dbus.service", []),
    ])
  func candidates(_ name: String, _ identifiers: [String]) {
    #expect(ApplicationUnit.candidates(in: name).map(\.text) == identifiers)
  }
}
