import LaunchRules
import Testing

@Suite struct `The rules of the desktop bridge` {
  @Test("a fallback handler comes after every other claim, whatever the ranks and policies")
  func fallback() {
    for policy in [
      CollisionPolicy.lastInstalled, .firstInstalled, .ambiguousIsError, .seededRandom(7),
    ] {
      var desktop = Sample.app("desktop", claims: ["x", "y"], rank: .owner, on: .macOS, at: 5)
      desktop.declaration.isFallbackHandler = true
      var other = Sample.app("other", claims: ["y"], at: 5)
      other.declaration.isFallbackHandler = true
      let registry = Sample.registry(
        [desktop, other, Sample.app("a", claims: ["x"], role: .none, rank: .none, at: 5)],
        policy: policy)
      #expect(registry.order(of: "x") == ["a", "desktop"])
      #expect(registry.reasons(for: "x") == [.beforeFallback, .fallback])
      #expect(registry.order(of: "y").count == 2)
    }
    var alone = Sample.app("desktop", claims: ["x"])
    alone.declaration.isFallbackHandler = true
    #expect(Sample.registry([alone]).reasons(for: "x") == [.onlyClaim])
  }

  @Test("the user's choice counts for a fallback handler, too") func chosen() {
    var desktop = Sample.app("desktop", claims: ["x"], on: .macOS)
    desktop.declaration.isFallbackHandler = true
    let registry = Sample.registry(
      [desktop, Sample.app("a", claims: ["x"])], bound: ["x": "desktop"])
    #expect(registry.order(of: "x") == ["desktop", "a"])
    #expect(registry.reasons(for: "x") == [.userChoice, .behindUserChoice])
  }

  @Test(
    "the bridge is known by its program",
    arguments: [
      (Program.arguments(["launchservices-desktop", "--idle", "5"]), true),
      (.arguments(["/usr/bin/launchservices-desktop", "--idle", "5"]), false),
      (.arguments(["/usr/bin/other", "launchservices-desktop"]), false),
      (.arguments([]), false), (.missing, false),
      (.executable(candidates: ["/x.app/launchservices-desktop"]), false),
    ])
  func bridge(_ program: Program, _ isBridge: Bool) {
    let declaration = ApplicationDeclaration(identifier: Sample.id("a"), program: program)
    #expect(declaration.isDesktopBridge == isBridge)
  }

  @Test("an entry's file has no dash, and belongs to one application")
  func names() {
    let file = DesktopEntryName.file(of: Sample.id("com.Example.photo-album"))
    #expect(file == "org.launchservices.handler.com.example.photo_album.desktop")
    #expect(DesktopEntryName.isOurs(file))
    #expect(!DesktopEntryName.isOurs("org.gnome.Maps.desktop"))
  }

  @Test(
    "languages of bundles as desktop entries name them",
    arguments: [
      ("de.lproj", "de"), ("pt-BR.lproj", "pt_BR"), ("pt_br.lproj", "pt_BR"),
      ("zh-Hans.lproj", "zh_CN"), ("zh-Hant-HK.lproj", "zh_HK"), ("sr-Latn.lproj", "sr@latin"),
      ("fil.lproj", "fil"), ("Base.lproj", nil), ("German.lproj", nil), ("de", nil),
      (".lproj", nil), ("d].lproj", nil), ("es-419.lproj", nil), ("de-.lproj", nil),
    ] as [(String, String?)])
  func locales(_ folder: String, _ locale: String?) {
    #expect(DesktopLocale(folder: folder)?.text == locale)
  }

  @Test(
    "the command line of an entry is quoted by its rules",
    arguments: [
      ("lsopen", "lsopen %u"), ("/opt/my apps/lsopen", "\"/opt/my apps/lsopen\" %u"),
      ("/o/a\"b`c$d\\e", "\"/o/a\\\"b\\`c\\$d\\\\e\" %u"), ("/o/50%/lsopen", "/o/50%%/lsopen %u"),
    ])
  func exec(_ program: String, _ value: String) {
    #expect(ExecValue.command(program, fieldCode: "%u") == value)
    let longer = value.replacing(" %u", with: " --option %u")
    #expect(ExecValue.command(program, ["--option"], fieldCode: "%u") == longer)
  }

  /// What GIO 2.74 does with each was tried out.
  @Test(
    "a URL is given to a command line only where it arrives as it is",
    arguments: [
      ("x %u", true), ("x %U", true), ("x U:%U %F", true), ("x %i %c %k %v %u%", true),
      ("\"/my apps/x\" %u", true), ("x %%%u", true), ("x %u F:%F", true), ("\"a\\\"b\" %u", true),
      ("sh -c \"x %u\"", true), ("sh -c 'x %u'", false),
      ("x", false), ("x %", false), ("x %f", false), ("x F:%F", false), ("x F:%F %u", false),
      ("x %d %u", false), ("x %N %u", false), ("x %%u", false), ("x \"%u\"", false),
      ("x \"--url=%u\"", false), ("x '%u'", false), ("x \\%u %u", false), ("", false),
      ("x # %u", false), ("x #%u", false), ("# x %u", false), ("x %v#%u", false),
      ("x '#' a#b \"#\" %u", true), ("x %u # y", true),
      // GLib finds a comment behind an escaped space, too.
      ("sh -c \"app \\\"%u\\\"\"", false), ("sh -c \"app '%u'\"", false),
      ("sh -c \"app 'a %u'\"", false),
      ("sh -c \"app --x=1 -- \\\"--url=%u\\\"\"", false), ("sh -c \"app `x %u`\"", false),
      ("sh -c \"app %u\"", true), ("sh -c 'a' \"b %u\"", true),
      ("x a\\ #b %u", false), ("x a\\b#c %u", true),
    ])
  func takesURL(_ exec: String, _ arrives: Bool) {
    #expect(ExecValue.takesURL(exec) == arrives)
  }

  @Test(
    "a file is given to a command line only where its path or URL arrives as it is",
    arguments: [
      ("x %f", true), ("x %F", true), ("x %u", true), ("x F:%F %U", true), ("sh -c \"x %f\"", true),
      ("x", true), ("x %%f", true), ("x %i %v", true), ("x \"%f\"", false), ("x '%F'", false),
      ("x # %f", false), ("x # y", false), ("x %d %f", false), ("x %n", false),
      ("sh -c 'x %f'", false), ("", false),
    ])
  func takesFile(_ exec: String, _ arrives: Bool) {
    #expect(ExecValue.takesFile(exec) == arrives)
  }

  @Test(
    "what stood in a list of defaults comes back letter for letter",
    arguments: ["", "a.desktop", "a.desktop;", "a.desktop;b.desktop", " a.desktop ; ;b.desktop;;"])
  func defaults(_ before: String) {
    var list = DefaultList(before)
    let ours = DesktopEntryName.file(of: Sample.id("com.example.a"))
    list.prefer(ours)
    #expect(list.files.first == ours)
    list.prefer(DesktopEntryName.file(of: Sample.id("com.example.b")))
    #expect(list.files.filter(DesktopEntryName.isOurs).count == 1)
    let wasThere = list.takeBack()
    #expect(wasThere)
    #expect(list.text == before)
    let isThere = list.takeBack()
    #expect(!isThere)
  }

  @Test("schemes that never leave an application, and those that are none, are not claimed")
  func claims() {
    for scheme in ["about", "data", "javascript", "blob", "unknown", "url"] {
      #expect(!DesktopBridge.mayClaim(Sample.scheme(scheme)))
    }
    #expect(DesktopBridge.mayClaim(Sample.scheme("mailto")))
  }
}
