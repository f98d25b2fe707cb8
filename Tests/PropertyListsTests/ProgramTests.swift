import LaunchRules
import PropertyLists
import Testing

@Suite struct `A program` {
  static let executable = "<key>CFBundleExecutable</key><string>App</string>"
  static let arguments =
    "<key>ProgramArguments</key><array><string>bin/app</string><string>-v</string></array>"

  @Test(
    "R1.13 is looked for where the layout puts it",
    arguments: [
      ("/apps/My.app/Info.plist", ["/apps/My.app/App"]),
      (
        "/apps/My.app/Contents/Info.plist",
        ["/apps/My.app/Contents/Linux/App", "/apps/My.app/Contents/MacOS/App"]
      ), ("/apps/My.plist", ["/apps/App"]),
    ])
  func candidates(_ path: String, _ candidates: [String]) {
    let reading = readApplication(Self.executable, at: path)
    #expect(reading.declaration?.program == .executable(candidates: candidates))
    #expect(reading.diagnostics.isEmpty)
  }

  @Test("is refused outside the bundle", arguments: ["../../bin/sh", "/bin/sh", "..", ".", "a/b"])
  func refused(_ name: String) {
    let reading = readApplication("<key>CFBundleExecutable</key><string>\(name)</string>")
    #expect(reading.declaration?.program == .missing)
    #expect(reading.diagnostics.map(\.keyPath) == ["CFBundleExecutable"])
    #expect(reading.diagnostics.map(\.problem) == ["\"\(name)\" is not the name of a file"])
  }

  @Test("of a loose property list is its arguments first, of a bundle its executable")
  func order() {
    let both = Self.executable + Self.arguments
    #expect(
      readApplication(both, at: "/apps/My.plist").declaration?.program
        == .arguments(["/apps/bin/app", "-v"]))
    #expect(
      readApplication(both).declaration?.program
        == .executable(candidates: ["/apps/My.app/App"]))
  }

  @Test(
    "is resolved against the folder of the property list unless it is a bare name",
    arguments: [
      ("bin/app", "/apps/bin/app"), ("./app", "/apps/app"), ("../app", "/apps/../app"),
      ("/usr/bin/app", "/usr/bin/app"), ("app", "app"),
    ])
  func relative(_ written: String, _ expected: String) {
    let reading = readApplication(
      "<key>ProgramArguments</key><array><string>\(written)</string></array>", at: "/apps/My.plist")
    #expect(reading.declaration?.program == .arguments([expected]))
  }

  @Test func `keeps shell text in its arguments`() {
    let reading = readApplication(
      """
      <key>ProgramArguments</key><array><string>sh</string><string>-c</string>\
      <string>echo $(date) $(date +%s)</string></array>
      """)
    #expect(
      reading.declaration?.program == .arguments(["sh", "-c", "echo $(date) $(date +%s)"]))
    #expect(reading.diagnostics.map(\.severity) == [.note])
  }

  @Test func `is one word when the arguments are one text`() {
    let reading = readApplication("<key>ProgramArguments</key><string>app -v</string>")
    #expect(reading.declaration?.program == .arguments(["app -v"]))
    #expect(
      reading.report == [
        "warning ProgramArguments: is text, but must be an array; it was read as an array of one"
      ])
  }

  @Test(
    "is missing when its key names none",
    arguments: [
      ("", []), ("<key>ProgramArguments</key><array/>", ["is an empty array"]),
      ("<key>ProgramArguments</key><array><string/></array>", ["is empty"]),
      ("<key>CFBundleExecutable</key><string></string>", ["is empty"]),
      (
        "<key>CFBundleExecutable</key><string>$(E)</string>",
        ["\"$(E)\" contains the build variable E, which has no value"]
      ),
      (
        "<key>CFBundleExecutable</key><string>a&#0;b</string>",
        ["\"a\\u{0}b\" is not the name of a file"]
      ),
    ])
  func missing(_ keys: String, _ problems: [String]) {
    let reading = readApplication(keys)
    #expect(reading.declaration?.program == .missing)
    #expect(reading.diagnostics.map(\.problem) == problems)
  }
}

@Suite struct `An environment` {
  @Test func `R1.32 is read, and its bad entries are left out`() {
    let reading = readApplication(
      """
      <key>LSEnvironment</key><dict>
        <key>GOOD</key><string>a $(V) $(W)</string>
        <key>NUMBER</key><integer>3</integer>
        <key>A=B</key><string>x</string>
        <key></key><string>x</string>
        <key>ZERO</key><string>a&#0;b</string>
        <key>N&#0;L</key><string>x</string>
        <key>LIST</key><array/>
      </dict>
      """, variables: BuildVariables(["V": "v"]))
    #expect(reading.declaration?.environment == ["GOOD": "a v $(W)", "NUMBER": "3"])
    #expect(
      reading.diagnostics.map { "\($0.keyPath): \($0.problem)" } == [
        "LSEnvironment: \"\" cannot be the name of an environment variable",
        "LSEnvironment: \"A=B\" cannot be the name of an environment variable",
        "LSEnvironment.GOOD: \"a v $(W)\" contains the build variable W, which has no value",
        "LSEnvironment.LIST: is an array, but must be text",
        "LSEnvironment: \"N\\u{0}L\" cannot be the name of an environment variable",
        "LSEnvironment.NUMBER: is a number, but must be text",
        "LSEnvironment.ZERO: contains a zero character, which no process can be given",
      ])
  }
}
