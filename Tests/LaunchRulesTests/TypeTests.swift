import LaunchRules
import Testing

@Suite struct `Types of documents` {
  @Test("R1.24 identifiers are letters, digits, - and ., of two parts or more, in any case")
  func identifiers() {
    #expect(TypeIdentifier("Public.PNG") == TypeIdentifier("public.png"))
    #expect(TypeIdentifier("com.example.my-type2")?.text == "com.example.my-type2")
    for text in ["", "png", ".png", "public.", "a..b", "a.b_c", "a.b c", "a.ü"] {
      #expect(TypeIdentifier(text) == nil, "\(text)")
    }
    #expect(TypeIdentifier(String(repeating: "a.", count: 127) + "a") != nil)
    #expect(TypeIdentifier(String(repeating: "a.", count: 127) + "aa") == nil)
  }

  @Test("R1.24 what nobody declares has a dynamic type, which says what it stands for")
  func dynamic() {
    for tag in [TypeTag.fileExtension("foo"), .fileExtension("größe"), .mimeType("text/x-foo")] {
      let type = DynamicType.identifier(of: tag)
      #expect(type?.text.hasPrefix("dyn.") == true)
      #expect(type.flatMap(DynamicType.tag) == tag)
    }
    #expect(DynamicType.identifier(of: .fileExtension("foo"))?.text == "dyn.mu5gm33p")
    #expect(DynamicType.identifier(of: .fileExtension(String(repeating: "x", count: 400))) == nil)
    #expect(DynamicType.tag(of: Sample.type("dyn.1")) == nil)
    #expect(DynamicType.tag(of: Sample.type("public.png")) == nil)
  }

  @Test("R1.25 conformance is found level by level, also where declarations form a cycle")
  func conformance() {
    let registry = Sample.registry([
      Sample.declaring(
        "a",
        exported: [
          TypeDeclaration(
            Sample.type("x.a"), conformsTo: [Sample.type("x.b"), Sample.type("x.c")]),
          TypeDeclaration(Sample.type("x.b"), conformsTo: [Sample.type("x.d")]),
          TypeDeclaration(
            Sample.type("x.c"), conformsTo: [Sample.type("x.d"), Sample.type("x.a")]),
          TypeDeclaration(Sample.type("x.d"), conformsTo: [.data]),
        ])
    ])
    #expect(
      registry.types.levels(of: Sample.type("x.a")).map { $0.map(\.text) }
        == [["x.a"], ["x.b", "x.c"], ["x.d"], ["public.data"], ["public.item"]])
    #expect(registry.types.conforms(Sample.type("x.c"), to: Sample.type("X.B")))
    #expect(!registry.types.conforms(Sample.type("x.d"), to: Sample.type("x.a")))
    #expect(registry.types.conforms(.folder, to: .item))
  }

  @Test("R1.25 of a very long chain of types 256 count") func longChain() {
    let registry = Sample.registry([
      Sample.declaring(
        "a",
        exported: (0..<300).map {
          TypeDeclaration(Sample.type("x.t\($0)"), conformsTo: [Sample.type("x.t\($0 + 1)")])
        })
    ])
    #expect(registry.types.levels(of: Sample.type("x.t0")).count == 256)
    #expect(registry.types.conforms(Sample.type("x.t0"), to: Sample.type("x.t255")))
    #expect(!registry.types.conforms(Sample.type("x.t0"), to: Sample.type("x.t256")))
  }

  @Test("R1.22 an exported declaration counts before imported ones, and goes with its application")
  func exported() {
    var registry = Sample.registry([
      Sample.declaring(
        "a", imported: [TypeDeclaration(Sample.type("x.a"), tags: [.fileExtension("imported")])])
    ])
    #expect(registry.types.types(of: .fileExtension("imported")) == [Sample.type("x.a")])
    registry.install(
      Sample.declaring(
        "z", exported: [TypeDeclaration(Sample.type("X.A"), tags: [.fileExtension("exported")])]))
    #expect(registry.types[Sample.type("x.a")]?.tags == [.fileExtension("exported")])
    #expect(registry.types.types(of: .fileExtension("imported")) == [])
    #expect(registry.types.owner(of: Sample.type("x.a")) == Sample.id("z"))
    registry.remove(propertyList: "/apps/z.app/Info.plist")
    #expect(registry.types.types(of: .fileExtension("imported")) == [Sample.type("x.a")])
    #expect(registry.types.types(of: .fileExtension("exported")) == [])
  }

  @Test("R1.24 a type of the system is not taken over by an application that exports it, too")
  func system() {
    let tag = TypeTag.fileExtension("png")
    let registry = Sample.registry([
      Sample.declaring("a", exported: [TypeDeclaration(Sample.type("public.png"), tags: [])]),
      Sample.declaring("b", exported: [TypeDeclaration(Sample.type("com.b.png"), tags: [tag])]),
      Sample.declaring(
        "core", isSystem: true, exported: [TypeDeclaration(Sample.type("public.png"), tags: [tag])]),
    ])
    #expect(registry.types.owner(of: Sample.type("public.png")) == Sample.id("core"))
    #expect(registry.types.types(of: tag).map(\.text) == ["public.png", "com.b.png"])
  }

  @Test(
    "of several types with one extension that of the system is first, then exported ones, then by name"
  )
  func order() {
    let tag = TypeTag.fileExtension("x")
    func one(_ name: String) -> TypeDeclaration {
      TypeDeclaration(Sample.type(name), conformsTo: [.data], tags: [tag])
    }
    let applications = [
      Sample.declaring("a", imported: [one("x.a-imported")]),
      Sample.declaring("b", exported: [one("x.c-exported")]),
      Sample.declaring("c", exported: [one("x.b-exported")]),
      Sample.declaring("core", isSystem: true, imported: [one("x.z-system")]),
    ]
    for order in [applications, applications.reversed()] {
      #expect(
        Sample.registry(order).types.types(of: tag).map(\.text)
          == ["x.z-system", "x.b-exported", "x.c-exported", "x.a-imported"])
    }
  }

  @Test("R1.20 known are the roots and what is declared") func known() {
    let registry = Sample.registry([
      Sample.declaring("a", exported: [TypeDeclaration(Sample.type("x.t"))])
    ])
    for type in [TypeIdentifier.item, .data, .package, Sample.type("x.t")] {
      #expect(registry.types.isKnown(type))
    }
    #expect(!registry.types.isKnown(Sample.type("x.other")))
    #expect(!Registry().types.isKnown(Sample.type("x.t")))
  }

  @Test("of two applications that declare a type alike the first by name counts")
  func owners() {
    let (one, two) = (
      Sample.declaring("a", exported: [TypeDeclaration(Sample.type("x.t"), description: "one")]),
      Sample.declaring("b", exported: [TypeDeclaration(Sample.type("x.t"), description: "two")])
    )
    for order in [[one, two], [two, one]] {
      #expect(Sample.registry(order).types.owner(of: Sample.type("x.t")) == Sample.id("a"))
    }
    let system = Sample.declaring(
      "z", isSystem: true, imported: [TypeDeclaration(Sample.type("x.t"))])
    #expect(
      Sample.registry([one, system]).types.owner(of: Sample.type("x.t")) == Sample.id("a"))
    let imported = Sample.declaring("a", imported: [TypeDeclaration(Sample.type("x.t"))])
    #expect(
      Sample.registry([imported, system]).types.owner(of: Sample.type("x.t")) == Sample.id("z"))
  }
}

@Suite struct `The type of a file` {
  private static let registry = Sample.registry([
    Sample.declaring(
      "core", isSystem: true,
      exported: [
        TypeDeclaration(
          .plainText, conformsTo: [.data], tags: [.fileExtension("txt"), .mimeType("text/plain")]),
        TypeDeclaration(
          Sample.type("public.gzip"), conformsTo: [.data], tags: [.fileExtension("gz")]),
        TypeDeclaration(
          Sample.type("public.tgz"), conformsTo: [.data], tags: [.fileExtension("tar.gz")]),
        TypeDeclaration(
          Sample.type("com.apple.application-bundle"), conformsTo: [.package],
          tags: [.fileExtension("app")]),
      ]),
    Sample.declaring(
      "old",
      types: [DocumentTypeDeclaration(tags: [.fileExtension("oldpkg")], isPackage: true)]),
  ])

  private func type(
    _ name: String, _ kind: DocumentFacts.Kind = .file(isExecutable: false), mime: String? = nil
  ) -> String {
    Self.registry.kind(of: DocumentFacts(name: name, kind: kind, mimeType: mime)).type.text
  }

  @Test("R1.20 the extension decides, in any case, the longest first") func byExtension() {
    #expect(type("a.txt") == "public.plain-text")
    #expect(type("A.TXT") == "public.plain-text")
    #expect(type("a.txt", mime: "image/png") == "public.plain-text")
    #expect(type("a.tar.gz") == "public.tgz")
    #expect(type("a.b.gz") == "public.gzip")
    #expect(type(".txt") == "public.data")
    #expect(type("a.") == "public.data")
  }

  @Test("then the MIME type; what is declared for neither has a dynamic type") func byMIMEType() {
    #expect(type("README", mime: "text/plain") == "public.plain-text")
    let unknown = type("a.foo")
    #expect(unknown == DynamicType.identifier(of: .fileExtension("foo"))?.text)
    #expect(Self.registry.types.conforms(Sample.type(unknown), to: .item))
    #expect(type("a.foo", mime: "application/octet-stream") == unknown)
    #expect(type("a", mime: "application/x-zerosize") == "public.data")
    let text = type("Makefile", mime: "text/x-makefile")
    #expect(Self.registry.types.conforms(Sample.type(text), to: .plainText))
    #expect(type("tool", .file(isExecutable: true)) == "public.unix-executable")
    #expect(type("pipe", .special) == "public.item")
  }

  @Test("R1.16 a folder is a package by a type of packages or by LSTypeIsPackage, else a folder")
  func folders() {
    #expect(type("My.app", .folder) == "com.apple.application-bundle")
    #expect(type("notes.txt", .folder) == "public.folder")
    #expect(type("My.app") == DynamicType.identifier(of: .fileExtension("app"))?.text)
    let package = Sample.type(type("My.oldpkg", .folder))
    #expect(DynamicType.tag(of: package) == .fileExtension("oldpkg"))
    #expect(
      Self.registry.types.levels(of: package).dropFirst() == [[.package], [.directory], [.item]])
    #expect(type("a.oldpkg") != package.text)
  }

  @Test("shared-mime-info is asked only where no name and no claim decides") func asking() {
    func asks(_ name: String, _ kind: DocumentFacts.Kind = .file(isExecutable: false)) -> Bool {
      Self.registry.needsMIMEType(DocumentFacts(name: name, kind: kind))
    }
    #expect(!asks("a.txt") && !asks("a.oldpkg") && !asks("folder", .folder) && !asks("p", .special))
    #expect(asks("README") && asks("a.foo"))
  }
}

@Suite struct `The URL of a document` {
  @Test(
    "names bytes, whatever they are",
    arguments: [
      ("file:///a%20b", "/a b"), ("file:/a", "/a"), ("FILE://localhost/a%2Fb", "/a/b"),
      ("file:///a?q#f", "/a"), ("file:///a%0Ab", "/a\nb"), ("file:///%C3%A4", "/ä"),
    ])
  func path(_ text: String, _ path: String) throws {
    #expect(try DocumentURL(text).path == Array(path.utf8))
  }

  @Test("goes there and back, byte for byte") func roundTrip() throws {
    let path = Array("/a b\n".utf8) + [0xff, 0xfe, 0x25]
    let text = DocumentURL.text(of: path)
    #expect(text == "file:///a%20b%0A%FF%FE%25")
    #expect(try DocumentURL(text).path == path)
    #expect(try DocumentURL("file:/a%20b%0a%ff%fe%25").key == text)
  }

  @Test("has a path of at most 4,095 bytes, as the kernel opens") func longest() throws {
    let longest = "file:///" + String(repeating: "a", count: 4094)
    #expect(try DocumentURL(longest).path.count == 4095)
    #expect(throws: OpenFailure.self) { try DocumentURL(longest + "a") }
  }

  @Test(
    "is refused for another machine, and for what is no path",
    arguments: [
      "file://server/a", "file:a", "file:", "file:///a%00b", "file:///a%2", "file:///a%zz", "x:/a",
      "file:///" + String(repeating: "a", count: 5000),
    ])
  func invalid(_ text: String) {
    #expect(throws: OpenFailure.self) { try DocumentURL(text) }
  }
}
