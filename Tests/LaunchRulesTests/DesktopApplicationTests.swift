import Testing

@testable import LaunchRules

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
      application.declaration.urlTypes.map { "\($0.desktopOrder ?? -1) \($0.schemes)" } == [
        "0 [y, z]", "1 [x]",
      ])
    #expect(ApplicationRecord(application).application == application)
  }

  @Test("the bridge starts the programs of desktop entries and of property lists with a protocol")
  func startedByBridge() throws {
    let entry = try #require(Self.list(["x": ["a.desktop"]]).applications.first)
    var list = Sample.app("list", claims: ["x"])
    #expect(entry.isStartedByBridge && !list.isStartedByBridge)
    list.declaration.program = .arguments([
      DesktopBridge.program, "--\(DesktopBridge.handOverOption)=qt-local-peer",
      "--\(DesktopBridge.handOverOption)=/run/chat",
    ])
    #expect(list.isStartedByBridge == (list.declaration.handOver != nil))
  }

  @Test("a desktop entry that drops URLs opens none; a property list may not say so")
  func dropping()
    throws
  {
    var entry = try #require(Self.list(["x": ["a.desktop"]]).applications.first)
    #expect(Sample.registry([entry]).hasHandler(for: Sample.scheme("x")))
    entry.declaration.dropsURLs = true
    #expect(!Sample.registry([entry]).hasHandler(for: Sample.scheme("x")))
    let list = Sample.app("list", claims: ["x"])
    #expect(Sample.registry([entry, list]).hasHandler(for: Sample.scheme("x")))
  }

  @Test("a MIME type names the files that desktop entries open, declared as a type or not")
  func mimeTypes() throws {
    var list = Self.list(["x": ["a.desktop", "b.desktop"]])
    list.documents = [
      .init(mimeTypes: ["text/x-unknown"], handlers: ["b.desktop", "a.desktop"]),
      .init(mimeTypes: ["text/plain"], handlers: ["a.desktop"]),
    ]
    let registry = Sample.registry(list.applications)
    func handlers(_ type: String) throws -> [String] {
      let name = try #require(MIMETypeName.name(type))
      return registry.documentCandidates(DocumentSubject(registry.kind(ofMIMEType: name)))
        .map(\.identifier.text)
    }
    #expect(try handlers("Text/X-Unknown") == ["b.desktop", "a.desktop"])
    #expect(try handlers("text/plain") == ["a.desktop"])
    #expect(try handlers("image/png") == [])
    #expect(registry.kind(ofMIMEType: "application/octet-stream").type == .data)
    for other in ["text", "text/", "./text/plain", "text/plain/a", "photos/a.png", "text/a b"] {
      #expect(MIMETypeName.name(other) == nil, "\(other)")
    }
  }

  private static func twins(
    _ list: InstalledApplication, others: [InstalledApplication] = [],
    bound: [String: String] = [:]
  ) throws -> Registry {
    var entry = try #require(
      Self.list(["x": ["com.a.desktop"], "y": ["b.desktop", "com.a.desktop"]]).applications.first {
        $0.identifier.text == "com.a.desktop"
      })
    entry.declaration.documents = DocumentDeclarations(
      types: [
        DocumentTypeDeclaration(contentTypes: [Sample.type("public.data")], desktopOrder: 0)
      ])
    var registry = Sample.registry([list] + others, bound: bound)
    let records = DesktopTwinRule.records(
      of: Sample.id("com.a"), with: ApplicationRecord(entry), in: registry)
    registry.change(
      removing: [], installing: records.isEmpty ? [ApplicationRecord(entry)] : records)
    return registry
  }

  @Test("a property list and its desktop entry are one application, with the claims of both")
  func twins() throws {
    let other = Sample.app("other", claims: ["x"])
    let registry = try Self.twins(Sample.app("com.a", claims: ["y"]), others: [other])
    #expect(registry.order(of: "y") == ["com.a"])
    #expect(registry.order(of: "x") == ["other", "com.a"])
    #expect(registry.reasons(for: "x") == [.beforeDesktopEntries, .desktopEntry])
    #expect(
      registry.documentCandidates(
        DocumentSubject(registry.kind(ofType: Sample.type("public.data")))
      ).map { registry.explained($0) } == [
        "the only claim; it claims public.data; its desktop entry makes the claim"
      ])
    let lines = registry.explainedCandidates(
      for: Sample.scheme("x"), host: nil, opener: nil, most: 9)
    #expect(lines.last?.hasSuffix("its desktop entry makes the claim") == true, "\(lines)")
    let listed = registry.explainedCandidates(
      for: Sample.scheme("y"), host: nil, opener: nil, most: 9)
    #expect(listed.last?.hasSuffix("its property list makes the claim") == true, "\(listed)")
  }

  @Test("both names are names of the application with a property list and a desktop entry")
  func twinNames() throws {
    let other = Sample.app("other", claims: ["x"])
    let registry = try Self.twins(
      Sample.app("com.a", claims: ["y"]), others: [other], bound: ["x": "com.a.desktop"])
    let entry = Sample.id("com.a.desktop")
    #expect(registry.application(entry)?.identifier.text == "com.a")
    #expect(registry.copies(of: entry).map(\.identifier.text) == ["com.a"])
    #expect(registry.isInstalled(entry))
    #expect(registry.order(of: "x") == ["com.a", "other"])
    #expect(registry.reasons(for: "x").first == .userChoice)
    #expect(!Sample.registry([Sample.app("com.a", claims: ["y"])]).isInstalled(entry))
  }

  @Test("without the entry the property list has its own claims again") func twinGone() throws {
    let list = Sample.app("com.a", claims: ["y"])
    let registry = try Self.twins(list)
    let records = DesktopTwinRule.records(of: Sample.id("com.a"), with: nil, in: registry)
    #expect(records.map(\.application) == [list])
  }

  @Test("a system application takes nothing from a desktop entry") func systemTwin() throws {
    let registry = try Self.twins(Sample.app("com.a", claims: ["y"], system: true))
    #expect(registry.order(of: "x") == ["com.a.desktop"])
  }

  @Test("R2.10 the default of the desktop gets what a system application passes on")
  func systemApplications() throws {
    var mail = Sample.app("org.launchservices.system.Mail", claims: ["mailto", "x"], system: true)
    mail.declaration.program = .arguments([DesktopBridge.program])
    let claimed = Sample.app("claimed", claims: ["mailto"])
    let list = Self.list(["mailto": ["b.desktop", "a.desktop"], "x": ["a.desktop"]])
    let registry = Sample.registry(list.applications + [mail, claimed])
    func decision(
      _ scheme: String, _ registry: Registry, designated: BundleIdentifier? = nil
    ) -> OpenRule.Decision {
      OpenRule.decide(
        OpenRule.Question(
          .url(Sample.scheme(scheme), host: nil, link: nil), caller: .unidentified,
          acting: .unidentified, designated: designated),
        in: registry,
        by: OpenRule.Policies(
          links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
          redirectLoop: { _ in nil }))
    }
    let found = decision("mailto", registry)
    #expect(try found.outcome.get().application?.identifier.text == "b.desktop")
    #expect(found.replaced == mail)
    #expect(
      found.trail.first?.sentence
        == "org.launchservices.system.Mail, which passes URLs to the default application of the desktop"
    )
    // Only for the schemes of system applications, and only where the opener does not choose.
    #expect(try decision("x", registry).outcome.get().application == mail)
    let chosen = decision("mailto", registry, designated: mail.identifier)
    #expect(try chosen.outcome.get().application == mail && chosen.replaced == nil)

    let alone = Sample.registry([mail, claimed])
    #expect(
      decision("x", alone, designated: mail.identifier).outcome
        == .failure(
          .applicationNotFound(
            "no application of the desktop handles the scheme x; install one, or choose an application"
              + " with: lsregister default x ID")))
    #expect(
      decision("mailto", alone, designated: mail.identifier).outcome
        == decision("mailto", alone).outcome)
    let none = decision("mailto", alone)
    #expect(none.missing == .mail)
    #expect(
      none.outcome
        == .failure(
          .applicationNotFound(
            "Mail is not installed: no application of the desktop handles the scheme mailto; install one,"
              + " or choose an application with: lsregister default mailto ID")))
    var quotas = LegacyQuotas()
    for (registry, answer) in [
      (registry, CanOpenAnswer.yes(.system)), (alone, .no(.notFound)),
    ] {
      #expect(
        CanOpenRule.answer(
          scheme: Sample.scheme("mailto"), caller: .identified(claimed.identifier, .checkedIn),
          registry: registry, quotas: &quotas) == answer)
    }
  }

  @Test("files go to the application of the desktop for their MIME type, after all property lists")
  func documents() throws {
    var list = Self.list([:], others: ["a.desktop", "b.desktop"])
    list.documents = [
      .init(mimeTypes: ["text/plain", "Text/X-Other"], handlers: ["b.desktop", "a.desktop"]),
      .init(mimeTypes: ["inode/directory", "application/x-zerosize"], handlers: ["a.desktop"]),
    ]
    let fallback = Sample.opening("fallback", "public.data", isFallback: true)
    func found(_ facts: DocumentFacts, _ others: [InstalledApplication] = []) -> [String] {
      let registry = Sample.registry([Sample.core] + list.applications + others)
      return registry.documentCandidates(DocumentSubject(registry.kind(of: facts))).map {
        "\($0.identifier): \($0.reason)"
      }
    }
    func file(_ name: String, mime: String? = nil) -> DocumentFacts {
      DocumentFacts(name: name, kind: .file(isExecutable: false), mimeType: mime)
    }
    let desktop = [
      "b.desktop: the default of the desktop",
      "a.desktop: the desktop prefers another application",
    ]
    #expect(found(file("x", mime: "text/x-other")) == desktop)
    #expect(found(file("x", mime: "text/plain")) == desktop)
    #expect(found(file("x", mime: "text/unknown")) == [])
    #expect(found(file("x", mime: "application/x-zerosize")) == ["a.desktop: the only claim"])
    #expect(
      found(DocumentFacts(name: "x", kind: .folder)) == ["a.desktop: the only claim"])
    #expect(
      found(file("x", mime: "text/plain"), [fallback]) == [
        "fallback: all other claims belong to desktop entries",
        "b.desktop: a desktop entry, which ranks after all property lists",
        "a.desktop: a desktop entry, which ranks after all property lists",
      ])
    // A claim of a property list on a more general type goes before, too, and so does the user's choice.
    var registry = Sample.registry([Sample.core, fallback] + list.applications)
    let subject = DocumentSubject(registry.kind(of: file("x", mime: "text/plain")))
    #expect(try registry.choose(subject).identifier.text == "fallback")
    registry.bind(subject.kind.type, to: Sample.id("a.desktop"))
    #expect(try registry.choose(subject).identifier.text == "a.desktop")
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
