import LaunchRules
import PropertyLists
import Testing

@Suite struct `Document types` {
  private func type(_ text: String) throws -> TypeIdentifier { try #require(TypeIdentifier(text)) }

  private static func types(_ types: String...) -> String {
    "<key>CFBundleDocumentTypes</key><array>\(types.map { "<dict>\($0)</dict>" }.joined())</array>"
  }

  private static func list(_ key: String, _ values: String...) -> String {
    "<key>\(key)</key><array>\(values.map { "<string>\($0)</string>" }.joined())</array>"
  }

  @Test func `R1.16 are read with all their keys`() throws {
    let reading = readApplication(
      Self.types(
        """
        <key>CFBundleTypeName</key><string>Drawing</string>
        <key>CFBundleTypeRole</key><string>Editor</string>
        <key>LSHandlerRank</key><string>Owner</string>
        """ + Self.list("LSItemContentTypes", "com.example.drawing", "public.PNG"),
        Self.list("CFBundleTypeExtensions", "TXT", ".md")
          + Self.list("CFBundleTypeMIMETypes", "Text/Plain")
          + Self.list("CFBundleTypeOSTypes", "TEXT")
          + "<key>LSTypeIsPackage</key><true/>")
        + "<key>LSSupportsOpeningDocumentsInPlace</key><true/><key>UTImportedTypeDeclarations</key>"
        + "<array><dict><key>UTTypeIdentifier</key><string>com.example.drawing</string></dict></array>"
    )
    #expect(
      reading.declaration?.documents
        == DocumentDeclarations(
          types: [
            DocumentTypeDeclaration(
              name: "Drawing", role: .editor, rank: .owner,
              contentTypes: [try type("com.example.drawing"), try type("public.png")]),
            DocumentTypeDeclaration(
              tags: [
                .fileExtension("txt"), .fileExtension("md"), .mimeType("text/plain"),
                .osType("TEXT"),
              ], isPackage: true),
          ], imported: [TypeDeclaration(try type("com.example.drawing"))], opensInPlace: true))
    #expect(
      reading.report == [
        "warning CFBundleDocumentTypes[1].CFBundleTypeExtensions[1]: \".md\" begins with a dot; it was"
          + " read as \"md\""
      ])
  }

  @Test func `R1.17 the older keys are ignored beside content types`() throws {
    let reading = readApplication(
      Self.types(
        Self.list("LSItemContentTypes", "public.png")
          + Self.list("CFBundleTypeExtensions", "png", "/")
          + "<key>LSTypeIsPackage</key><true/>"))
    #expect(
      reading.declaration?.documents.types == [
        DocumentTypeDeclaration(contentTypes: [try type("public.png")])
      ])
    #expect(
      reading.report == [
        "note CFBundleDocumentTypes[0].LSTypeIsPackage: does not go with LSItemContentTypes; it was"
          + " ignored: let the type conform to com.apple.package (R1.16)"
      ])
  }

  @Test func `R1.17 an entry that binds nothing is ignored, and its neighbours are not`() {
    let reading = readApplication(
      Self.types(
        "<key>CFBundleTypeName</key><string>Nothing</string>",
        Self.list("CFBundleTypeExtensions", "txt")))
    #expect(reading.declaration?.documents.types.count == 1)
    #expect(reading.diagnostics.map(\.keyPath) == ["CFBundleDocumentTypes[0]"])
  }

  @Test func `R1.19 a wildcard opens nothing`() {
    let reading = readApplication(
      Self.types(
        Self.list("CFBundleTypeExtensions", "*"), Self.list("CFBundleTypeOSTypes", "****", "TEXT")))
    #expect(reading.declaration?.documents.types.map(\.tags) == [[.osType("TEXT")]])
    #expect(reading.diagnostics.map(\.severity) == [.note, .note])
  }

  @Test(
    "what is no type, extension, MIME type or OS type is named",
    arguments: [
      ("LSItemContentTypes", "png", "\"png\" is not a type identifier"),
      ("LSItemContentTypes", "a.b_c", "\"a.b_c\" is not a type identifier"),
      (
        "LSItemContentTypes", "$(T).x",
        "\"$(T).x\" contains the build variable T, which has no value"
      ),
      ("CFBundleTypeExtensions", "", "\"\" is not an extension"),
      ("CFBundleTypeExtensions", "a/b", "\"a/b\" is not an extension"),
      ("CFBundleTypeMIMETypes", "text", "\"text\" is not a MIME type"),
      ("CFBundleTypeMIMETypes", "a/b/c", "\"a/b/c\" is not a MIME type"),
      ("CFBundleTypeOSTypes", "TEXTS", "\"TEXTS\" is not an OS type"),
    ])
  func mistakes(_ key: String, _ value: String, _ problem: String) {
    let reading = readApplication(Self.types(Self.list(key, value)))
    #expect(reading.declaration?.documents.types == [])
    #expect(reading.diagnostics.map(\.problem) == [problem])
    #expect(reading.diagnostics.map(\.keyPath) == ["CFBundleDocumentTypes[0].\(key)[0]"])
  }

  @Test func `R1.21 R1.23 declarations hold strings or arrays of them`() throws {
    let keys = """
      <key>UTExportedTypeDeclarations</key><array><dict>
        <key>UTTypeIdentifier</key><string>com.example.drawing</string>
        <key>UTTypeDescription</key><string>Drawing</string>
        <key>UTTypeConformsTo</key><string>public.data</string>
        <key>UTTypeTagSpecification</key><dict>
          <key>public.filename-extension</key><string>Draw</string>
          <key>public.mime-type</key><array><string>image/x-draw</string><string>a/b</string></array>
          <key>com.apple.ostype</key><string>DRAW</string>
          <key>com.apple.nspboard-type</key><string>x</string>
        </dict>
      </dict></array>
      <key>UTImportedTypeDeclarations</key><array><dict>
        <key>UTTypeIdentifier</key><string>org.example.other</string>
        <key>UTTypeConformsTo</key><array><string>public.data</string><string>public.content</string></array>
      </dict></array>
      """
    let reading = readApplication(keys)
    #expect(
      reading.declaration?.documents.exported == [
        TypeDeclaration(
          try type("com.example.drawing"), conformsTo: [.data],
          tags: [
            .fileExtension("draw"), .mimeType("image/x-draw"), .mimeType("a/b"), .osType("DRAW"),
          ],
          description: "Drawing")
      ])
    #expect(
      reading.declaration?.documents.imported == [
        TypeDeclaration(
          try type("org.example.other"), conformsTo: [.data, try type("public.content")])
      ])
    #expect(reading.report == [])
  }

  @Test func `R1.24 Apple's own applications name types as Apple does`() {
    let reading = read(
      "<key>CFBundleIdentifier</key><string>com.apple.x</string>"
        + "<key>UTExportedTypeDeclarations</key><array><dict><key>UTTypeIdentifier</key>"
        + "<string>com.apple.x.file</string></dict></array>")
    #expect(reading.report == [])
  }

  @Test func `R1.24 odd declarations are told about`() {
    func declare(_ keys: String) -> String {
      "<key>UTExportedTypeDeclarations</key><array>\(keys)</array>"
    }
    func identified(_ text: String, _ more: String = "") -> String {
      "<dict><key>UTTypeIdentifier</key><string>\(text)</string>\(more)</dict>"
    }
    let reading = readApplication(
      declare(
        "<dict/>" + identified("drawing") + identified("public.png") + identified("a.b")
          + identified("A.B")
          + identified(
            "c.d",
            "<key>UTTypeTagSpecification</key><dict><key>x</key><string>y</string></dict>")))
    #expect(
      reading.declaration?.documents.exported.map(\.identifier.text) == [
        "public.png", "a.b", "c.d",
      ])
    #expect(
      reading.diagnostics.map { "\($0.severity.rawValue) \($0.keyPath): \($0.problem)" } == [
        "warning UTExportedTypeDeclarations[0]: has no UTTypeIdentifier",
        "warning UTExportedTypeDeclarations[1].UTTypeIdentifier: \"drawing\" is not a type identifier",
        "note UTExportedTypeDeclarations[2].UTTypeIdentifier: \"public.png\" begins with a name that is"
          + " reserved",
        "warning UTExportedTypeDeclarations[4]: declares A.B again",
        "note UTExportedTypeDeclarations[5].UTTypeTagSpecification.x: is not a class of tags that files"
          + " have",
      ])
  }
}
