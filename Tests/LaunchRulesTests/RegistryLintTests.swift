import Testing

@testable import LaunchRules

@Suite("A property list beside all that is registered") struct RegistryLintTests {
  private func found(
    _ application: InstalledApplication, beside others: [InstalledApplication] = [],
    policy: CollisionPolicy = .lastInstalled, files: [String] = []
  ) -> [String] {
    RegistryLint(application, in: Sample.registry(others, policy: policy), files: files)
      .diagnostics.map { "\($0.severity): \($0.problem); \($0.consequence)" }
  }

  @Test(
    "E4: a height is digits and an h; other parts belong to the scheme of a launch image",
    arguments: [
      ("Default-my-12x.png", "my-12x"), ("Default-h.png", "h"), ("Default-xh.png", "xh"),
      ("Default-my-568h.png", "my"), ("Default-568h-my@2x.png", "my"),
    ])
  func heights(_ file: String, _ scheme: String) {
    #expect(LaunchImage.scheme(inName: file, basename: "Default") == scheme)
  }

  @Test("E4: an application that nobody gets in the way of has nothing to be told") func nothing() {
    let own = Sample.app("com.a", claims: ["x"])
    #expect(found(own) == [])
    // It is registered already.
    #expect(found(own, beside: [own]) == [])
  }

  @Test("A type that nobody declares is told, unless the types of the system are not known")
  func undeclaredType() {
    let own = Sample.opening("com.a", "org.example.unheard-of")
    #expect(found(own) == [])
    let core = Sample.declaring(
      "core", isSystem: true,
      exported: [TypeDeclaration(Sample.type("public.png"), conformsTo: [.data])])
    #expect(
      found(own, beside: [core]) == [
        "note: no application declares the type org.example.unheard-of; no file has the type: declare it"
          + " with UTImportedTypeDeclarations, or with UTExportedTypeDeclarations if it is yours (R1.21)"
      ])
  }

  @Test("E4: as many shared schemes as are told are told without more") func notMany() {
    let schemes = (0..<50).map { "s\($0)" }
    let found = found(
      Sample.app("com.a", claims: schemes), beside: [Sample.app("com.b", claims: schemes)])
    #expect(found.count == 50)
    #expect(found.allSatisfy { !$0.contains("more schemes") })
  }

  @Test("E4: of very many shared schemes the first are told, and how many more there are")
  func many() {
    let schemes = (0..<200).map { "s\($0)" }
    let found = found(
      Sample.app("com.a", claims: schemes), beside: [Sample.app("com.b", claims: schemes)])
    #expect(found.count == 51)
    #expect(
      found.last
        == "note: 150 more schemes are claimed by other applications, too, or have no effect; these"
        + " schemes are not listed here; use 'lsregister handlers SCHEME'")
  }

  @Test("E4: a claim on a reserved scheme loses") func reserved() {
    let mail = Sample.app("com.mail", claims: ["mailto"], system: true)
    #expect(
      found(Sample.app("com.a", claims: ["mailto"]), beside: [mail]) == [
        "warning: the scheme mailto is reserved for com.mail; the claim has no effect: claim a scheme"
          + " of your own (R2.8)"
      ])
    #expect(
      found(Sample.app("com.a", claims: ["about"])) == [
        "warning: the scheme about never leaves the application that shows its URLs; the claim has no"
          + " effect: claim a scheme of your own (R2.10)"
      ])
  }

  @Test("E4: the user may choose any application of macOS for a reserved scheme")
  func reservedForMac() {
    let mail = Sample.app("com.mail", claims: ["mailto"], system: true)
    #expect(
      found(Sample.app("com.a", claims: ["mailto"], on: .macOS), beside: [mail]) == [
        "warning: com.mail claims the scheme mailto, too; com.mail gets the URLs: the scheme is"
          + " reserved for a system application; 'lsregister default mailto com.a' chooses this one"
      ])
  }

  @Test(
    "E4: a scheme of iOS alone goes to another application when an application of macOS opens it")
  func iOSOnly() {
    let messages = Sample.app(
      SystemApplication.messages.identifier, claims: ["sms"], system: true)
    #expect(
      found(Sample.app("com.a", claims: ["sms"]), beside: [messages]) == [
        "warning: the scheme sms is reserved for org.launchservices.system.Messages; com.a gets only"
          + " the URLs that applications of macOS open (R2.10)"
      ])
    #expect(
      found(Sample.app("com.a", claims: ["sms"], on: .macOS), beside: [messages]) == [
        "warning: org.launchservices.system.Messages claims the scheme sms, too;"
          + " org.launchservices.system.Messages gets the URLs: the scheme is reserved for a system"
          + " application; com.a gets those that applications of macOS open (R2.10);"
          + " 'lsregister default sms com.a' chooses this one"
      ])
    let better = Sample.app("com.better", claims: ["sms"], at: 1)
    #expect(
      found(Sample.app("com.a", claims: ["sms"]), beside: [messages, better]) == [
        "warning: the scheme sms is reserved for org.launchservices.system.Messages; the claim has no"
          + " effect: claim a scheme of your own (R2.8)"
      ])
  }

  @Test("E4: who else claims a scheme is named, and who would get its URLs") func claims() {
    let others = (1...5).map { Sample.app("com.other\($0)", claims: ["x"], at: Int64($0)) }
    let named = "com.other5, com.other4, com.other3 and 2 more claim the scheme x, too"
    #expect(
      found(Sample.app("com.a", claims: ["x"], at: 9), beside: others) == [
        "note: \(named); com.a gets the URLs: installed most recently (CollisionPolicy"
          + " last-installed); 'lsregister default' sets another choice"
      ])
    #expect(
      found(Sample.app("com.a", claims: ["x"]), beside: others) == [
        "warning: \(named); com.other5 gets the URLs: an equal claim; the setting CollisionPolicy prefers another;"
          + " 'lsregister default x com.a' chooses this one"
      ])
    #expect(
      found(
        Sample.app("com.a", claims: ["x"]), beside: [others[0]], policy: .ambiguousIsError) == [
          "warning: com.other1 claims the scheme x, too; no application gets the URLs, because the"
            + " setting CollisionPolicy requires a choice: 'lsregister default x com.a' chooses this one"
        ])
  }

  @Test("E4: an identifier is in reverse DNS form, and nobody else's") func identifiers() {
    for identifier in ["Photos", "com..a", "com."] {
      #expect(found(Sample.app(identifier)).count == 1, "\(identifier)")
    }
    let other = Sample.app("com.A", at: 2, path: "/other.plist")
    #expect(
      found(Sample.app("com.a", at: 1), beside: [other]) == [
        "warning: /other.plist has the identifier com.a, too; /other.plist is used when both are"
          + " registered: remove one, or change its identifier"
      ])
  }

  @Test("E4: quick actions that nobody sees") func unseenQuickActions() {
    var own = Sample.app("com.a")
    own.declaration.shortcutItems = (1...6).map { .init(type: "\($0)", title: "") }
    #expect(
      found(own) == [
        "warning: has 6 quick actions, and 4 are shown; the last 2 are never seen: remove them (R1.40)"
      ])
  }

  @Test("E4: launch images of schemes that are not claimed") func images() {
    let own = Sample.app("com.a", claims: ["x", "my-app"])
    let files = [
      "Default.png", "Default-x.png", "Default-X@2x~ipad.png", "Default-568h@2x.png",
      "Default-Portrait.png", "Default-my-app-Landscape@3x.png", "Default-y.jpg", "Icon-y.png",
      "DefaultButton.png", "default-avatar.png", "default.png", "DEFAULT.jpg",
    ]
    #expect(found(own, files: files) == [])
    var named = own
    named.declaration.launchImageName = "Start.png"
    #expect(found(named, files: ["Start.png", "Start-x.png"]) == [])
    #expect(found(named, files: ["Start-y.png"]).count == 1)
    #expect(
      found(own, files: files + ["Default-y-568h@2x~iphone.png"]) == [
        "note: \"Default-y-568h@2x~iphone.png\" is the launch image of the scheme y, which is not"
          + " claimed; it is never shown: name it by a scheme that is claimed, or remove it (R1.41)"
      ])
    var mac = own
    mac.declaration.platform = .macOS
    #expect(found(mac, files: ["Default-y.png"]) == [])
  }

  @Test(
    "E4: an image whose modifiers are in another order, or unknown, is never shown",
    arguments: [
      "Start@2x-568h.png", "Start@2x-x.png", "Start-x~ipad@2x.png", "Start-Portrait-x.png",
      "Start-x-480h.png", "Start-x@4x.png", "Start-812h-x.png", "Start-portrait.png",
      "Start-x-portrait.png", "Start-X@2X.png", "Start-x.PNG",
    ])
  func imageNames(_ file: String) {
    var own = Sample.app("com.a", claims: ["x"])
    own.declaration.launchImageName = "Start"
    #expect(!LaunchImage.names(basename: "Start", scheme: "x").contains(file))
    #expect(!LaunchImage.names(basename: "Start", scheme: "X").contains(file))
    let found = found(own, files: [file])
    #expect(found.count == 1)
    #expect(found.first?.contains("never shown") == true)
  }

  @Test(
    "E4: an image of a claimed scheme in another format, or with another spelling of the base name",
    arguments: [
      ("Default-x.jpg", "Default-x.png"), ("default-x.png", "Default-x.png"),
      ("default-X@2x~ipad.jpeg", "Default-X@2x~ipad.png"), ("Default-x.PNG", "Default-x.png"),
      ("DEFAULT-Portrait.png", "Default-Portrait.png"),
    ])
  func wrongFormat(_ file: String, _ right: String) {
    #expect(
      found(Sample.app("com.a", claims: ["x"]), files: [file]) == [
        "note: \"\(file)\" is not the name of a launch image; it is never shown:"
          + " \(file.lowercased().hasSuffix(".png") ? "rename it to" : "save it as the PNG image")"
          + " \"\(right)\", or remove it (R1.41)"
      ])
  }

  @Test("E4: an image of a claimed scheme whose base name is not that of UILaunchImageFile")
  func otherBaseName() {
    var own = Sample.app("com.a", claims: ["x"])
    own.declaration.launchImageName = "Start.png"
    #expect(
      found(own, files: ["Default-X@2x.png", "Default-y.png", "Default-Portrait.png"]) == [
        "note: \"Default-X@2x.png\" is not the name of a launch image; it is never shown: rename it to"
          + " \"Start-X@2x.png\", because UILaunchImageFile is \"Start.png\", or remove it (R1.41)"
      ])
  }

  @Test("as many quick actions as are shown are not remarked on, one more is")
  func quickActions() {
    func found(_ count: Int) -> [String] {
      var application = Sample.app("com.a", claims: ["x"])
      application.declaration.shortcutItems = (0..<count).map {
        QuickAction(type: "t\($0)", title: "T")
      }
      return self.found(application)
    }
    #expect(found(QuickActionMenu.mostShown) == [])
    #expect(found(QuickActionMenu.mostShown + 1).count == 1)
  }
}
