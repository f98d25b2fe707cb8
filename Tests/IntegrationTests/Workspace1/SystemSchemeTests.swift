import DBus
import Foundation
import LaunchServicesTesting
import Testing

@Suite("System schemes", .timeLimit(.minutes(30)))
struct SystemSchemeTests {
  /// A testbed where nothing is confirmed: who is asked about `facetime` is tested elsewhere.
  private static func runUnasked(
    _ body: @MainActor (Testbed) async throws -> Void
  ) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings(
        "<key>Confirmations</key><dict><key>facetime-application-macos</key><false/></dict>")
      try await world.startDaemon()
      try await body(world)
    }
  }

  /// The browser, and Maps with its host.
  private static func installWebApplications(_ world: Testbed) async throws {
    try await world.install("com.example.safari", schemes: ["http", "https"]) {
      $0.place = .systemFolder
    }
    try await world.install("com.example.maps") {
      $0.place = .systemFolder
      $0.otherKeys["LaunchServicesWebHosts"] = ["maps.apple.com"]
    }
  }

  private static func entitlements(_ name: String) -> String {
    "<plist version=\"1.0\"><dict><key>com.apple.developer.\(name)</key><true/></dict></plist>"
  }

  @Test(
    "R2.8 R2.10 a scheme of the system goes to its application, not to the third party that claims it",
    arguments: ["mailto:a@b", "tel:1", "facetime:a@b", "facetime-audio:1", "sms:"])
  func reserved(_ url: String) async throws {
    let scheme = String(url.prefix { $0 != ":" })
    try await Self.runUnasked { world in
      let system = try await world.install("com.example.system", schemes: [scheme]) {
        $0.place = .systemFolder
      }
      let other = try await world.install("com.example.a", schemes: [scheme])
      #expect(try await world.client.open(url).handler == "com.example.system")
      #expect(system.heard().last == .opened([OpenedURL(url)]))
      #expect(other.heard() == [])
    }
  }

  @Test("R2.9 R1.45 an iOS mail application with the entitlement may be chosen, and is used")
  func entitled() async throws {
    try await Testbed.run { world in
      let mine = try await world.install("com.example.a", schemes: ["mailto"]) {
        $0.otherFiles["archived-expanded-entitlements.xcent"] = Self.entitlements("mail-client")
      }
      try await world.install("com.example.mail", schemes: ["mailto"]) { $0.place = .systemFolder }
      #expect(
        try await world.client.entry(of: "com.example.a")?["entitlements"]
          == .strings(["com.apple.developer.mail-client"]))
      #expect(try await world.client.defaultHandler("mailto") == "com.example.mail")
      try await world.client.setDefaultHandler("mailto", "com.example.a")
      #expect(try await world.client.open("mailto:x@y").handler == "com.example.a")
      #expect(mine.heard().last == .opened("mailto:x@y"))
      #expect(
        try await world.client.explain("mailto:x@y").steps.filter { $0.step == "candidate" } == [
          .init(
            "candidate",
            "com.example.a: the user's choice; the entitlement of the application"
              + " permits the choice"),
          .init(
            "candidate", "com.example.mail: a system application; the scheme is reserved for it"),
        ])
    }
  }

  @Test("R1.44 entitlements that come later count at once; a browser must claim http and https")
  func laterEntitlement() async throws {
    try await Testbed.run { world in
      try await Self.installWebApplications(world)
      let fox = try await world.install("com.example.fox", schemes: ["http"])
      func refusal() async -> String? {
        do {
          try await world.client.setDefaultHandler("http", "com.example.fox")
          return nil
        } catch {
          return error.text
        }
      }
      #expect(await refusal()?.contains("needs the entitlement") == true)
      try Self.entitlements("web-browser")
        .write(
          toFile: fox.path + "/com.example.fox.entitlements", atomically: true, encoding: .utf8)
      let hasBoth = "com.example.fox has the entitlement com.apple.developer.web-browser, but must"
      while await refusal()?.contains(hasBoth + " also claim https (R1.44)") != true {
        try await world.client.registryChange()
      }
      try await world.daemon.line(containing: "the application does not claim https")
    }
  }

  @Test("R2.12 R4.10 R1.44 a special host goes to its application, also with a browser chosen")
  func specialHost() async throws {
    try await Testbed.run { world in
      try await Self.installWebApplications(world)
      try await world.install("com.example.fox", schemes: ["http", "https"]) {
        $0.otherFiles["com.example.fox.entitlements"] = Self.entitlements("web-browser")
      }
      for (url, handler) in [
        ("http://maps.apple.com/?q=a", "com.example.maps"),
        ("HTTPS://Maps.Apple.com.:443/?q=a#b", "com.example.maps"),
        ("http://maps%2Eapple.com/", "com.example.maps"),
        ("http://user@maps.apple.com/", "com.example.maps"),
        ("http://maps.apple.com@example.com/", "com.example.safari"),
        ("http://example.com/?maps.apple.com", "com.example.safari"),
        ("http:maps.apple.com", "com.example.safari"), ("http://", "com.example.safari"),
      ] { #expect(try await world.client.open(url).handler == handler, "\(url)") }

      try await world.client.setDefaultHandler("http", "com.example.fox")
      #expect(try await world.client.open("http://example.com/").handler == "com.example.fox")
      #expect(try await world.client.open("http://maps.apple.com/").handler == "com.example.maps")
      #expect(
        try await world.client.open("http://maps.apple.com/", with: "com.example.fox").handler
          == "com.example.fox")
    }
  }

  @Test("R2.12 a third-party application has no hosts, and is told so")
  func thirdPartyHost() async throws {
    try await Testbed.run { world in
      try await Self.installWebApplications(world)
      try await world.install("com.example.a") {
        $0.otherKeys["LaunchServicesWebHosts"] = ["www.youtube.com"]
      }
      try await world.daemon.line(
        containing: "LaunchServicesWebHosts: is for system applications only")
      #expect(
        try await world.client.open("http://www.youtube.com/").handler == "com.example.safari")
    }
  }

  /// A URL, and the application that is missing.
  @Test(
    "R2.11 R9.4 R9.7 R9.11 without its application a documented scheme fails, and names what is missing",
    arguments: [
      ("mailto:a@b", "Mail"), ("tel:1", "Phone"), ("facetime:a@b", "FaceTime"),
      ("facetime-audio:a@b", "FaceTime"), ("sms:", "Messages"), ("http://example.com/", "Safari"),
      ("https://maps.apple.com/", "Safari"),
    ])
  func notInstalled(_ url: String, _ name: String) async throws {
    let scheme = String(url.prefix { $0 != ":" })
    try await Self.runUnasked { world in
      await #expect(
        throws: Refusal(
          "ApplicationNotFound",
          "\(name) is not installed, and no application is registered for the scheme \(scheme);"
            + " install org.launchservices.system.\(name) or an application that claims \(scheme)"
            + " (OSStatus error -10814)")
      ) { try await world.client.open(url) }
      #expect(
        try await world.daemon.line(containing: "is not installed").hasSuffix(
          "notice: \(name) is not installed scheme=\(scheme)"))
      try await world.install("com.example.a", schemes: [scheme])
      #expect(try await world.client.open(url).handler == "com.example.a")
      #expect(world.daemon.lines.filter { $0.contains("is not installed") }.count == 1)
    }
  }

  @Test("R3.4 the exemption from the allowlist comes and goes with the system application")
  func exemption() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.caller")
      #expect(try await world.client.canOpen("tel:1", as: "com.example.caller") == false)
      try await world.install("com.example.phone", schemes: ["tel"]) { $0.place = .systemFolder }
      #expect(try await world.client.canOpen("tel:1", as: "com.example.caller"))
    }
  }

  @Test("R9.2 R9.6 R9.12 lsopen --explain tells what the format rules say, and nothing for others")
  func format() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      func steps(_ url: String) async throws -> [String] {
        try await world.client.explain(url).steps.filter { $0.step == "format" }.map(\.sentence)
      }
      #expect(
        try await steps("mailto:a@b.example?from=c&subject=x") == [
          "writes a letter: to \"a@b.example\", subject \"x\"",
          "from: dropped: the sender is the user's choice (R9.2)",
        ])
      #expect(
        try await steps("tel:*21#") == [
          "dials nothing, and shows \"*21#\"",
          "number: it is not dialled: it contains * or # (R9.6)",
        ])
      #expect(
        try await steps("sms:1?body=x") == [
          "nothing would be done with it: it contains more than a number: an sms URL must not have a"
            + " message text or anything else (R9.12)"
        ])
      #expect(try await steps("photos:1") == [])
      #expect(try await steps("https://example.com/") == [])
      #expect(
        try await world.client.explain("tel:1").steps.map(\.step).prefix(2) == ["url", "format"])
    }
  }

  @Test("R2.10 R2.12 the system applications that come with Launch Services")
  func shipped() async throws {
    let share = Fixture.package.appending(path: "systemd/share").path
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeDesktopEntry(
        "all", schemes: ["http", "https", "mailto", "tel", "facetime", "facetime-audio", "sms"])
      try await world.startDaemon(environment: ["XDG_DATA_DIRS": share])
      let prefix = "org.launchservices.system."
      for (url, name) in [
        ("http://example.com/", "Safari"), ("https://example.com/", "Safari"),
        ("mailto:a@b", "Mail"), ("tel:1", "Phone"), ("facetime:a@b", "FaceTime"),
        ("facetime-audio://1", "FaceTime"), ("sms:", "Messages"),
        ("http://maps.apple.com/?q=Mexican+Restaurant", "Maps"),
        ("http://phobos.apple.com/WebObjects/MZStore.woa/wa/viewAlbum?i=156093464", "iTunes"),
        ("https://itunes.apple.com/", "iTunes"), ("https://apps.apple.com/", "iTunes"),
        ("https://music.apple.com/", "iTunes"),
        ("http://www.youtube.com/watch?v=VIDEO_IDENTIFIER", "YouTube"),
        ("http://youtube.com/", "Safari"),
      ] {
        let explanation = try await world.client.explain(url)
        #expect(explanation.handler == "all.desktop", "\(url)")
        #expect(
          explanation.steps.first { $0.step == "system application" }?.sentence
            == "\(prefix)\(name), which passes URLs to the default application of the desktop")
      }
      #expect(
        try await world.client.entry(of: prefix + "Maps")?["web-hosts"]
          == .strings(["maps.apple.com"]))
      #expect(world.daemon.lines.filter { $0.contains("warning") } == [])
    }
  }

  @Test(
    "R2.11 R3.4 a scheme of a system application without an application of the desktop: no, and opens fail"
  )
  func withoutDesktopApplication() async throws {
    let share = Fixture.package.appending(path: "systemd/share").path
    try await Testbed.run(startsDaemon: false) { world in
      try await world.startDaemon(environment: ["XDG_DATA_DIRS": share])
      try await world.install("com.example.phone", queries: ["mailto"])
      try await world.install("com.example.mac") { $0.sdk = "macosx26.0" }
      for asker in ["com.example.phone", "com.example.mac"] {
        #expect(try await !world.client.canOpen("mailto:a@b", as: asker))
      }
      await #expect {
        try await world.client.open("mailto:a@b")
      } throws: { error in
        (error as? Refusal)?.text
          == "Mail is not installed: no application of the desktop handles the scheme mailto; install one,"
          + " or choose an application with: lsregister default mailto ID (OSStatus error -10814)"
      }
      try world.writeDesktopEntry("mail", schemes: ["mailto"])
      try await world.client.reload()
      for asker in ["com.example.phone", "com.example.mac"] {
        #expect(try await world.client.canOpen("mailto:a@b", as: asker))
      }
      #expect(try await world.client.explain("mailto:a@b").handler == "mail.desktop")
    }
  }
}
