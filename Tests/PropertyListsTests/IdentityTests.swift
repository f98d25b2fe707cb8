import LaunchRules
import PropertyLists
import Testing

@Suite struct `An identity` {
  @Test func `is read, with names, versions and team`() throws {
    let reading = readApplication(
      """
      <key>CFBundleName</key><string>App</string>
      <key>CFBundleDisplayName</key><string>My Äpp</string>
      <key>CFBundleVersion</key><string>1.10</string>
      <key>CFBundleShortVersionString</key><string>2026 Edition</string>
      <key>AppIdentifierPrefix</key><string>ABCDE12345.</string>
      """)
    let declaration = try #require(reading.declaration)
    #expect(declaration.identifier.text == "com.example.app")
    #expect(declaration.name == "App")
    #expect(declaration.displayName == "My Äpp")
    #expect(declaration.version == BundleVersion(1, 10))
    #expect(declaration.marketingVersion == "2026 Edition")
    #expect(declaration.team == "ABCDE12345")
    #expect(reading.diagnostics.isEmpty)
  }

  @Test(
    "that cannot be a bus name is not activated by it",
    arguments: ["photos", "com.example.1photos", "com..photos", "com.example.", ".com.example"])
  func noBusName(_ identifier: String) {
    let reading = read(
      "<key>CFBundleIdentifier</key><string>\(identifier)</string><key>DBusActivatable</key><true/>"
    )
    #expect(reading.declaration?.isDBusActivatable == false)
    #expect(
      reading.report == [
        "warning DBusActivatable: \"\(identifier)\" cannot be a bus name; it was read as false: use"
          + " an identifier of at least two parts, none of which is empty or begins with a digit,"
          + " such as com.example.app"
      ])
  }

  @Test func `is all that is needed`() {
    let reading = readApplication("")
    #expect(
      reading.declaration
        == BundleIdentifier("com.example.app").map { ApplicationDeclaration(identifier: $0) })
    #expect(reading.diagnostics.isEmpty)
  }

  @Test func `R1.9 without an identifier is refused, and the rest is looked at all the same`() {
    let reading = read("<key>CFBundleName</key><array/>")
    #expect(reading.declaration == nil)
    #expect(
      reading.report == [
        "error CFBundleIdentifier: is missing; the application was not registered: give it an "
          + "identifier, such as com.example.app",
        "warning CFBundleName: is an array, but must be text; it was ignored",
      ])
  }

  @Test(
    "R1.9 is refused when the identifier is none",
    arguments: [
      ("", "is empty"), ("com example", "\"com example\" is not an identifier"),
      ("com.example_app", "\"com.example_app\" is not an identifier"),
      ("$(X)", "\"$(X)\" contains the build variable X, which has no value"),
      ("a.${X}.$(Y)", "\"a.${X}.$(Y)\" contains the build variables X and Y, which have no values"),
      ("com.{APP}", "\"com.{APP}\" contains the unfilled placeholder \"{APP}\""),
      ("%%ID%%", "\"%%ID%%\" contains the unfilled placeholder \"%%ID%%\""),
      ("@ID@", "\"@ID@\" contains the unfilled placeholder \"@ID@\""),
      ("a\u{7}\u{202E}b", "\"a\\u{7}\\u{202e}b\" is not an identifier"),
    ])
  func refused(_ identifier: String, _ problem: String) {
    let reading = read("<key>CFBundleIdentifier</key><string>\(identifier)</string>")
    #expect(reading.declaration == nil)
    #expect(reading.diagnostics.map(\.severity) == [.error])
    #expect(reading.diagnostics.first?.problem == problem)
    #expect(
      reading.diagnostics.first?.consequence.hasPrefix("the application was not registered: ")
        == true)
  }

  @Test func `R1.9 of 256 characters is refused, of 255 is not`() {
    func identifier(_ count: Int) -> String {
      "<key>CFBundleIdentifier</key><string>\(String(repeating: "a", count: count))</string>"
    }
    #expect(read(identifier(255)).declaration != nil)
    #expect(read(identifier(256)).diagnostics.map(\.problem) == ["is 256 characters long"])
  }

  @Test func `says how to define a variable, and is taken once it is defined`() {
    let keys = "<key>CFBundleIdentifier</key><string>$(ID:lower)</string>"
    #expect(
      read(keys).diagnostics.first?.consequence
        == "the application was not registered: give it a value with "
        + "--define ID=VALUE, or in define of a scenario or test")
    let defined = read(keys, variables: BuildVariables(["ID": "Com.Example"]))
    #expect(defined.declaration?.identifier.text == "com.example")
    #expect(defined.diagnostics.isEmpty)
  }

  @Test func `that is a number is read as text`() {
    let reading = read("<key>CFBundleIdentifier</key><integer>42</integer>")
    #expect(reading.declaration?.identifier.text == "42")
    #expect(
      reading.report == [
        "warning CFBundleIdentifier: is a number, but must be text; it was read as \"42\""
      ])
  }

  @Test func `without names when their variables have no values`() throws {
    let reading = readApplication(
      "<key>CFBundleName</key><string>$(N)</string><key>CFBundleVersion</key><string>$(V)</string>")
    let declaration = try #require(reading.declaration)
    #expect(declaration.name == nil)
    #expect(declaration.version == BundleVersion(0))
    #expect(
      reading.report == [
        "warning CFBundleName: \"$(N)\" contains the build variable N, which has no value; the key was "
          + "ignored: give it a value with --define N=VALUE, or in define"
          + " of a scenario or test",
        "warning CFBundleVersion: \"$(V)\" contains the build variable V, which has no value; the key "
          + "was ignored: give it a value with --define V=VALUE, or in define"
          + " of a scenario or test",
      ])
  }

  @Test func `without names when their variables lead back to themselves`() throws {
    let reading = readApplication(
      "<key>CFBundleName</key><string>$(A)</string><key>CFBundleVersion</key><string>$(L)$(V)</string>",
      variables: BuildVariables(["A": "$(B)", "B": "My $(A)", "L": "$(L)"]))
    #expect(
      reading.report == [
        "warning CFBundleName: \"My $(A)\" contains the build variables A and B, whose values refer to each other"
          + " in a cycle ($(A) -> $(B) -> $(A)); the key was ignored: give A a value that does not lead back"
          + " to it",
        "warning CFBundleVersion: \"$(L)$(V)\" contains the build variable L, whose value refers to itself"
          + " ($(L) -> $(L)) and the build variable V, which has no value; the key was ignored: give L a value"
          + " that does not lead back to it and give V a value with --define V=VALUE, or in define"
          + " of a scenario or test",
      ])
  }

  @Test func `R1.15 of a version that is none is version 0`() {
    let reading = readApplication("<key>CFBundleVersion</key><string>next</string>")
    #expect(reading.declaration?.version == BundleVersion(0))
    #expect(
      reading.diagnostics.map(\.problem) == ["\"next\" does not begin with a number"])
  }

  @Test(
    "takes the team from each key",
    arguments: ["AppIdentifierPrefix", "TeamIdentifier", "com.apple.developer.team-identifier"])
  func teams(_ key: String) {
    let reading = readApplication("<key>\(key)</key><string>ABCDE12345</string>")
    #expect(reading.declaration?.team == "ABCDE12345")
  }

  @Test func `has no team when the key holds none`() {
    let reading = readApplication("<key>TeamIdentifier</key><string>a team</string>")
    #expect(reading.declaration?.team == nil)
    #expect(reading.diagnostics.map(\.problem) == ["\"a team\" is not a team"])
  }
}
