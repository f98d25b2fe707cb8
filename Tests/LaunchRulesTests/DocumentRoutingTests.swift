import LaunchRules
import Testing

extension Sample {
  static func type(_ text: String) -> TypeIdentifier {
    guard let type = TypeIdentifier(text) else { preconditionFailure("no type: \(text)") }
    return type
  }

  /// An application that declares something about documents.
  static func declaring(
    _ identifier: String, platform: Platform = .macOS, isSystem: Bool = false,
    isFallback: Bool = false, types: [DocumentTypeDeclaration] = [],
    exported: [TypeDeclaration] = [], imported: [TypeDeclaration] = [], at: Int64 = 0
  ) -> InstalledApplication {
    var application = Sample.app(identifier)
    application.declaration.platform = platform
    application.declaration.isFallbackHandler = isFallback
    application.declaration.documents = DocumentDeclarations(
      types: types, exported: exported, imported: imported)
    application.isSystem = isSystem
    application.installedAt = at
    return application
  }

  /// One that opens types.
  static func opening(
    _ identifier: String, _ types: String..., role: URLTypeDeclaration.Role = .editor,
    rank: URLTypeDeclaration.Rank = .default, platform: Platform = .macOS, isFallback: Bool = false,
    at: Int64 = 0
  ) -> InstalledApplication {
    declaring(
      identifier, platform: platform, isFallback: isFallback,
      types: [
        DocumentTypeDeclaration(role: role, rank: rank, contentTypes: types.map(type))
      ], at: at)
  }

  /// `public.swift-source`, `public.source-code`, `public.plain-text`, `public.data`, `public.item`.
  static let core = declaring(
    "core", isSystem: true,
    exported: [
      TypeDeclaration(.plainText, conformsTo: [.data], tags: [.fileExtension("txt")]),
      TypeDeclaration(type("public.source-code"), conformsTo: [.plainText]),
      TypeDeclaration(
        type("public.swift-source"), conformsTo: [type("public.source-code")],
        tags: [.fileExtension("swift"), .mimeType("text/x-swift")]),
    ])
}

@Suite struct `Who opens a document` {
  private func subject(_ name: String, in registry: Registry) -> DocumentSubject {
    let facts = DocumentFacts(name: name, kind: .file(isExecutable: false))
    return DocumentSubject(registry.kind(of: facts), file: "file:///" + name)
  }

  private func order(_ registry: Registry, _ name: String = "a.swift") -> [String] {
    registry.documentCandidates(subject(name, in: registry)).map(\.identifier.text)
  }

  private func reasons(_ registry: Registry, _ name: String = "a.swift") -> [HandlerReason] {
    registry.documentCandidates(subject(name, in: registry)).map(\.reason)
  }

  private func winner(_ registry: Registry, _ name: String = "a.swift") -> String? {
    if case .handler(let candidate) = registry.route(subject(name, in: registry)) {
      candidate.identifier.text
    } else {
      nil
    }
  }

  @Test("R1.25 the more specific type wins, whatever the rank") func specific() {
    let registry = Sample.registry([
      Sample.core, Sample.opening("text", "public.plain-text", rank: .owner),
      Sample.opening("swift", "public.swift-source", rank: .alternate),
      Sample.opening("code", "public.source-code"), Sample.opening("all", "public.data"),
    ])
    #expect(order(registry) == ["swift", "code", "text", "all"])
    #expect(reasons(registry) == [.moreSpecific, .lessSpecific, .lessSpecific, .lessSpecific])
    #expect(winner(registry) == "swift")
    #expect(order(registry, "a.unknown") == ["all"])
    #expect(reasons(registry, "a.unknown") == [.onlyClaim])
  }

  @Test("R1.18 of claims to one type Owner is before Default, before Alternate; None never opens")
  func rank() {
    let registry = Sample.registry([
      Sample.core, Sample.opening("alternate", "public.plain-text", rank: .alternate, at: 9),
      Sample.opening("default", "public.plain-text", at: 8),
      Sample.opening("owner", "public.plain-text", rank: .owner),
      Sample.opening("none", "public.plain-text", rank: .none, at: 10),
    ])
    #expect(order(registry, "a.txt") == ["owner", "default", "alternate"])
    #expect(reasons(registry, "a.txt") == [.betterRank, .lowerRank, .lowerRank])
    let none = Sample.registry([Sample.core, Sample.opening("n", "public.plain-text", rank: .none)])
    #expect(none.route(subject("a.txt", in: none)) == .notFound)
  }

  @Test("claims that differ in nothing are in the order of the identifiers, and are no fallback")
  func ties() {
    let registry = Sample.registry([
      Sample.core, Sample.opening("b", "public.plain-text", at: 5),
      Sample.opening("c", "public.plain-text", at: 5),
      Sample.opening("a", "public.plain-text", at: 5),
      Sample.opening("last", "public.plain-text", isFallback: true, at: 9),
    ])
    #expect(order(registry, "a.txt") == ["a", "b", "c", "last"])
    #expect(
      registry.documentCandidates(subject("a.txt", in: registry)).map(\.isFallback)
        == [false, false, false, true])
  }

  @Test(
    "R1.16 the roles None and QLGenerator open nothing",
    arguments: [
      (URLTypeDeclaration.Role.editor, true), (.viewer, true), (.shell, true), (.none, false),
      (.quickLookGenerator, false),
    ])
  func roles(_ role: URLTypeDeclaration.Role, _ opens: Bool) {
    let registry = Sample.registry([Sample.core, Sample.opening("a", "public.data", role: role)])
    #expect(winner(registry) == (opens ? "a" : nil))
  }

  @Test("R1.17 R2.16 claims by extension and MIME type count beside those by type") func tags() {
    let registry = Sample.registry([
      Sample.core, Sample.opening("type", "public.swift-source", at: 1),
      Sample.declaring(
        "extension", types: [DocumentTypeDeclaration(tags: [.fileExtension("swift")])], at: 2),
      Sample.declaring(
        "mime", types: [DocumentTypeDeclaration(tags: [.mimeType("text/x-swift")])], at: 3),
      Sample.declaring(
        "owner",
        types: [DocumentTypeDeclaration(rank: .owner, tags: [.fileExtension("swift")])], at: 0),
    ])
    #expect(order(registry) == ["owner", "mime", "extension", "type"])
    #expect(winner(registry, "a.SWIFT") == "owner")
  }

  @Test("R1.20 an extension that has no type is claimed all the same") func unknownExtension() {
    let registry = Sample.registry([
      Sample.declaring("a", types: [DocumentTypeDeclaration(tags: [.fileExtension("foo")])])
    ])
    #expect(winner(registry, "x.Foo") == "a")
    #expect(winner(registry, "x.bar") == nil)
  }

  @Test("R2.16 the choice for the file goes before that for its type, and both before claims")
  func choices() {
    var registry = Sample.registry([
      Sample.core, Sample.opening("owner", "public.swift-source", rank: .owner),
      Sample.opening("b", "public.data"), Sample.app("c"), Sample.opening("d", "public.data"),
    ])
    registry.bind(Sample.type("public.swift-source"), to: Sample.id("b"))
    #expect(order(registry) == ["b", "owner", "d"])
    #expect(reasons(registry) == [.userChoice, .behindUserChoice, .behindUserChoice])
    registry.bind(file: "file:///a.swift", to: Sample.id("d"))
    #expect(order(registry) == ["d", "b", "owner"])
    #expect(reasons(registry).first == .chosenForFile)
    #expect(winner(registry, "b.swift") == "b")
    registry.bind(file: "file:///a.swift", to: nil)
    let changed = registry.bind(Sample.type("public.swift-source"), to: nil)
    let again = registry.bind(Sample.type("public.swift-source"), to: nil)
    #expect(changed && !again)
    #expect(winner(registry) == "owner")
  }

  @Test("R1.9 the user's choice, named in another case, is told as the application writes itself")
  func spelling() {
    var registry = Sample.registry([Sample.core, Sample.opening("App", "public.data")])
    registry.bind(.plainText, to: Sample.id("aPP"))
    #expect(order(registry) == ["App"])
  }

  @Test("R1.25 R2.16 a choice for a general type does not outdo a claim for a special one")
  func generalChoice() {
    var registry = Sample.registry([
      Sample.core, Sample.opening("swift", "public.swift-source"),
      Sample.opening("text", "public.plain-text"), Sample.opening("chosen", "public.data"),
    ])
    registry.bind(.plainText, to: Sample.id("chosen"))
    #expect(order(registry) == ["swift", "chosen", "text"])
    #expect(winner(registry, "a.txt") == "chosen")
  }

  @Test(
    "R2.17 on macOS a choice need not claim the type; on iOS it must",
    arguments: [
      (Platform.macOS, "c"), (.iOS, "a"),
    ])
  func unclaimedChoice(_ platform: Platform, _ expected: String) {
    var chosen = Sample.app("c")
    chosen.declaration.platform = platform
    var registry = Sample.registry([Sample.core, Sample.opening("a", "public.data"), chosen])
    registry.bind(Sample.type("public.swift-source"), to: Sample.id("c"))
    #expect(winner(registry) == expected)
    let subject = subject("a.swift", in: registry)
    #expect((registry.objection(to: Sample.id("c"), for: subject) == nil) == (expected == "c"))
    #expect(registry.objection(to: Sample.id("a"), for: subject) == nil)
  }

  @Test("a fallback handler comes after everybody else, however special its claim") func fallback()
  {
    let registry = Sample.registry([
      Sample.core, Sample.opening("bridge", "public.swift-source", isFallback: true),
      Sample.opening("all", "public.item"),
    ])
    #expect(order(registry) == ["all", "bridge"])
    #expect(reasons(registry) == [.beforeFallback, .fallback])
  }

  @Test("R2.14 claims that are alike go by the collision policy") func policy() {
    let applications = [
      Sample.core, Sample.opening("a", "public.data", at: 1),
      Sample.opening("b", "public.data", at: 2),
    ]
    func registry(_ policy: CollisionPolicy) -> Registry {
      var registry = Registry(policy: policy)
      for application in applications { registry.install(application) }
      return registry
    }
    #expect(order(registry(.lastInstalled)) == ["b", "a"])
    #expect(reasons(registry(.lastInstalled)) == [.installedLast, .behindByPolicy])
    #expect(order(registry(.firstInstalled)) == ["a", "b"])
    let ambiguous = registry(.ambiguousIsError)
    #expect(
      ambiguous.route(subject("a.swift", in: ambiguous))
        == .ambiguous([Sample.id("a"), Sample.id("b")]))
  }

  @Test("R2.14 claims of a broader type do not take part in an ambiguity") func levels() {
    let registry = Sample.registry(
      [
        Sample.core, Sample.opening("a", "public.swift-source"),
        Sample.opening("b", "public.swift-source"), Sample.opening("c", "public.data"),
      ], policy: .ambiguousIsError)
    #expect(
      registry.route(subject("a.swift", in: registry))
        == .ambiguous([Sample.id("a"), Sample.id("b")]))
  }

  @Test("R2.14 claims of different ranks are not alike") func ranks() {
    for (better, worse) in [
      (Sample.opening("a", "public.data"), Sample.opening("b", "public.data", rank: .alternate)),
      (Sample.opening("a", "public.data"), Sample.opening("b", "public.data", isFallback: true)),
    ] {
      let registry = Sample.registry([Sample.core, better, worse], policy: .ambiguousIsError)
      #expect(winner(registry) == "a")
    }
  }

  @Test("R1.23 a folder is a document as long as an application declares it as a package")
  func packages() {
    let declaring = ["a", "b"].map {
      Sample.declaring(
        $0, types: [DocumentTypeDeclaration(tags: [.fileExtension("pack")], isPackage: true)])
    }
    var registry = Sample.registry([Sample.core] + declaring)
    func isPackage() -> Bool {
      let type = registry.kind(of: DocumentFacts(name: "x.pack", kind: .folder)).type
      return registry.types.conforms(type, to: .package)
    }
    #expect(isPackage())
    registry.remove(propertyList: declaring[0].propertyList)
    #expect(isPackage())
    registry.remove(propertyList: declaring[1].propertyList)
    #expect(!isPackage())
    // An application that only describes the documents opens none.
    registry.install(
      Sample.declaring(
        "c",
        types: [
          DocumentTypeDeclaration(role: .none, tags: [.fileExtension("pack")], isPackage: true),
          DocumentTypeDeclaration(tags: [.fileExtension("pack")]),
        ]))
    #expect(!isPackage())
  }

  @Test("R2.20 the copy in use counts, and what is gone counts no more") func updates() {
    var registry = Sample.registry([Sample.core, Sample.opening("a", "public.plain-text")])
    registry.install(Sample.opening("a", "public.source-code"))
    #expect(winner(registry, "a.txt") == nil)
    #expect(winner(registry) == "a")
    registry.remove(propertyList: "/apps/a.app/Info.plist")
    #expect(winner(registry) == nil)
  }

  @Test("the first of very many is found as the whole order has it") func route() {
    var registry = Sample.registry([Sample.core])
    for number in 0..<300 {
      registry.install(
        Sample.opening(
          "app\(number)", ["public.data", "public.plain-text", "public.swift-source"][number % 3],
          rank: [.owner, .default, .alternate][number % 7 % 3], at: Int64(number % 11)))
    }
    #expect(winner(registry) == order(registry).first)
    #expect(Set(order(registry)).count == 300)
  }

  @Test("R5.24 R1.37 documents are used in place on macOS, on iOS with the key") func inPlace() {
    var declaration = Sample.app("a").declaration
    declaration.platform = .macOS
    #expect(declaration.usesDocumentsInPlace)
    declaration.platform = .iOS
    #expect(!declaration.usesDocumentsInPlace)
    declaration.documents.opensInPlace = true
    #expect(declaration.usesDocumentsInPlace)
  }
}
