import LaunchRules
import PropertyLists
import Testing

@Suite struct `URL types` {
  /// One URL type that claims the schemes.
  static func claim(_ schemes: String...) -> String {
    let list = schemes.map { "<string>\($0)</string>" }.joined()
    return "<dict><key>CFBundleURLSchemes</key><array>\(list)</array></dict>"
  }

  static func types(_ types: String...) -> String {
    "<key>CFBundleURLTypes</key><array>\(types.joined())</array>"
  }

  static func schemes(_ reading: PropertyListReading) -> [[String]]? {
    reading.declaration?.urlTypes.map { $0.schemes.map(\.text) }
  }

  @Test func `R1.1 to R1.4 are read with all their keys`() throws {
    let reading = readApplication(
      Self.types(
        """
        <dict>
          <key>CFBundleURLName</key><string>com.example.photo</string>
          <key>CFBundleTypeRole</key><string>Editor</string>
          <key>LSHandlerRank</key><string>Alternate</string>
          <key>CFBundleURLIconFile</key><string>photo</string>
          <key>CFBundleURLSchemes</key><array><string>Photo</string><string>a+b-c.1</string></array>
        </dict>
        """, Self.claim("second")))
    #expect(
      reading.declaration?.urlTypes == [
        URLTypeDeclaration(
          name: "com.example.photo", role: .editor, rank: .alternate,
          schemes: [try #require(URLScheme("photo")), try #require(URLScheme("a+b-c.1"))],
          spellings: ["Photo"], iconFile: "photo"),
        URLTypeDeclaration(schemes: [try #require(URLScheme("second"))]),
      ])
    #expect(reading.diagnostics.isEmpty)
  }

  @Test(
    "R2.1 T2.3 refuse what is not a scheme, and keep its neighbours",
    arguments: [
      ("1app", "\"1app\" begins with a digit and is no scheme"), ("", "is empty"),
      ("myapp:", "\"myapp:\" ends with \":\", which is not part of a scheme"),
      ("myapp://", "\"myapp://\" ends with \"://\", which is not part of a scheme"),
      ("myapp://open", "\"myapp://open\" is a URL, not a scheme"),
      ("my_app", "\"my_app\" is not a scheme"), ("微信", "\"微信\" is not a scheme"),
      ("my app", "\"my app\" contains a blank, which no scheme may"),
      (" myapp", "\" myapp\" contains a blank, which no scheme may"),
      ("*", "\"*\" contains \"*\", but there are no wildcards (R3.7)"),
      ("{APP_SCHEME}", "\"{APP_SCHEME}\" contains the unfilled placeholder \"{APP_SCHEME}\""),
      ("%%X%%", "\"%%X%%\" contains the unfilled placeholder \"%%X%%\""),
      ("@X@", "\"@X@\" contains the unfilled placeholder \"@X@\""),
      ("fb$(ID)", "\"fb$(ID)\" contains the build variable ID, which has no value"),
    ])
  func invalid(_ scheme: String, _ problem: String) {
    let reading = readApplication(Self.types(Self.claim("before", scheme, "after")))
    #expect(Self.schemes(reading) == [["before", "after"]])
    #expect(reading.diagnostics.map(\.keyPath) == ["CFBundleURLTypes[0].CFBundleURLSchemes[1]"])
    #expect(reading.diagnostics.map(\.problem) == [problem])
    #expect(
      reading.diagnostics.first?.consequence.hasPrefix("the scheme is not claimed: ") == true)
  }

  @Test func `R2.1 with a colon are told what to drop`() {
    let reading = readApplication(Self.types(Self.claim("MyApp://")))
    #expect(Self.schemes(reading) == [])
    #expect(
      reading.diagnostics.map(\.consequence) == [
        "the scheme is not claimed: write \"MyApp\" alone"
      ])
  }

  @Test func `claim a variable's value once it is defined`() {
    let reading = readApplication(
      Self.types(Self.claim("fb$(ID)")), variables: BuildVariables(["ID": "123"]))
    #expect(Self.schemes(reading) == [["fb123"]])
  }

  @Test func `R1.3 R2.2 keep the first claim of a scheme`() {
    let reading = readApplication(
      Self.types(Self.claim("one", "One"), Self.claim("two", "ONE"), Self.claim("one")))
    #expect(Self.schemes(reading) == [["one"], ["two"]])
    #expect(
      reading.report == [
        "warning CFBundleURLTypes[0].CFBundleURLSchemes[1]: claims \"One\" again; the first claim, "
          + "CFBundleURLTypes[0].CFBundleURLSchemes[0], counts: remove this one (R1.3)",
        "warning CFBundleURLTypes[1].CFBundleURLSchemes[1]: claims \"ONE\" again; the first claim, "
          + "CFBundleURLTypes[0].CFBundleURLSchemes[0], counts: remove this one (R1.3)",
        "warning CFBundleURLTypes[2].CFBundleURLSchemes[0]: claims \"one\" again; the first claim, "
          + "CFBundleURLTypes[0].CFBundleURLSchemes[0], counts: remove this one (R1.3)",
      ])
  }

  @Test(
    "of a wrong shape are read as what they mean",
    arguments: [
      (
        "<key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>"
          + "<string>my</string></dict></array>",
        "CFBundleURLTypes[0].CFBundleURLSchemes: is text, but must be an array"
      ),
      (
        "<key>CFBundleURLTypes</key><dict><key>CFBundleURLSchemes</key><array>"
          + "<string>my</string></array></dict>",
        "CFBundleURLTypes: is a dictionary, but must be an array"
      ),
    ])
  func arrayOfOne(_ keys: String, _ problem: String) {
    let reading = readApplication(keys)
    #expect(Self.schemes(reading) == [["my"]])
    #expect(
      reading.report == ["warning \(problem); it was read as an array of one"])
  }

  @Test func `of a wrong type are left out, and their neighbours are not`() {
    let reading = readApplication(
      Self.types(
        "<string>x</string>", Self.claim("one"), "<array/>", "<true/>",
        """
        <dict><key>CFBundleURLSchemes</key><array><string>two</string><dict/><data>QUJD</data>\
        <true/><date>2026-01-01T00:00:00Z</date><integer>7</integer></array></dict>
        """))
    #expect(Self.schemes(reading) == [["one"], ["two"]])
    #expect(
      reading.diagnostics.map { "\($0.keyPath): \($0.problem)" } == [
        "CFBundleURLTypes[0]: is text, but must be a dictionary",
        "CFBundleURLTypes[2]: is an array, but must be a dictionary",
        "CFBundleURLTypes[3]: is true or false, but must be a dictionary",
        "CFBundleURLTypes[4].CFBundleURLSchemes[1]: is a dictionary, but must be text",
        "CFBundleURLTypes[4].CFBundleURLSchemes[2]: is data or a date, but must be text",
        "CFBundleURLTypes[4].CFBundleURLSchemes[3]: is true or false, but must be text",
        "CFBundleURLTypes[4].CFBundleURLSchemes[4]: is data or a date, but must be text",
        "CFBundleURLTypes[4].CFBundleURLSchemes[5]: is a number, but must be text",
        "CFBundleURLTypes[4].CFBundleURLSchemes[5]: \"7\" begins with a digit and is no scheme",
      ])
  }

  @Test(
    "that claim nothing are left out",
    arguments: [
      (Self.types(), "note CFBundleURLTypes: is an empty array; it was read as absent"),
      (
        Self.types("<dict/>"),
        "warning CFBundleURLTypes[0]: has no CFBundleURLSchemes; it claims nothing and was ignored: "
          + "add the key, with an array of schemes"
      ),
      (
        Self.types(Self.claim()),
        "note CFBundleURLTypes[0].CFBundleURLSchemes: is an empty array; it was read as absent"
      ),
    ])
  func empty(_ keys: String, _ report: String) {
    let reading = readApplication(keys)
    #expect(Self.schemes(reading) == [])
    #expect(reading.report == [report])
  }

  @Test("E4: of one name are remarked, also when the second type claims nothing of its own")
  func doubledNames() {
    func type(_ name: String, _ schemes: String) -> String {
      "<dict><key>CFBundleURLName</key><string>\(name)</string><key>CFBundleURLSchemes</key>"
        + "<array>\(schemes)</array></dict>"
    }
    let reading = readApplication(
      Self.types(
        type("one", "<string>a</string>"), type("one", "<string>A</string>"), type("one", ""),
        type("One", "<string>b</string>"), type("one", "<string>c</string>")))
    #expect(Self.schemes(reading) == [["a"], ["b"], ["c"]])
    #expect(
      reading.report.filter { $0.contains("CFBundleURLName:") }
        == [1, 2, 4].map {
          "warning CFBundleURLTypes[\($0)].CFBundleURLName: two URL types have the CFBundleURLName \"one\";"
            + " one localised name stands for this one and CFBundleURLTypes[0]: give each a name of its own"
            + " (R1.8)"
        })
  }

  @Test func `R1.4 with unknown words for role and rank are viewers of default rank`() {
    let reading = readApplication(
      Self.types(
        """
        <dict><key>CFBundleTypeRole</key><string>Ethereum Links</string>
        <key>LSHandlerRank</key><string>Best</string>
        <key>CFBundleURLSchemes</key><array><string>my</string></array></dict>
        """))
    #expect(reading.declaration?.urlTypes.map(\.role) == [.viewer])
    #expect(reading.declaration?.urlTypes.map(\.rank) == [.default])
    #expect(
      reading.report == [
        "warning CFBundleURLTypes[0].CFBundleTypeRole: \"Ethereum Links\" is not a role; it was "
          + "read as Viewer: the roles are Editor, Viewer, Shell, QLGenerator and None",
        "warning CFBundleURLTypes[0].LSHandlerRank: \"Best\" is not a rank; it was read as Default: "
          + "the ranks are Owner, Default, Alternate and None",
      ])
  }
}
