import LaunchRules
import PropertyLists
import Testing

@Suite struct `Launch keys` {
  @Test func `are read`() throws {
    let reading = readApplication(
      """
      <key>UIApplicationSceneManifest</key><dict/>
      <key>LSMultipleInstancesProhibited</key><true/>
      <key>UIApplicationExitsOnSuspend</key><true/>
      <key>DBusActivatable</key><true/>
      """)
    let declaration = try #require(reading.declaration)
    #expect(declaration.usesScenes)
    #expect(declaration.prohibitsMultipleInstances)
    #expect(declaration.exitsOnSuspend)
    #expect(declaration.isDBusActivatable)
    #expect(reading.diagnostics.isEmpty)
  }

  @Test func `R1.36 of a scene manifest that is no dictionary do not count`() {
    let reading = readApplication("<key>UIApplicationSceneManifest</key><true/>")
    #expect(reading.declaration?.usesScenes == false)
    #expect(
      reading.report == [
        "warning UIApplicationSceneManifest: is true or false, but must be a dictionary; it was "
          + "ignored"
      ])
  }

  @Test(
    "are true or false in the words of Apple's tools",
    arguments: [
      ("<string>YES</string>", true), ("<string>yes</string>", true), ("<string>1</string>", true),
      ("<string>True</string>", true), ("<string>Y</string>", true), ("<integer>1</integer>", true),
      ("<real>0.5</real>", true), ("<string>NO</string>", false), ("<string>0</string>", false),
      ("<string>false</string>", false), ("<integer>0</integer>", false),
      ("<string>$(FLAG)</string>", true),
    ])
  func truthWords(_ value: String, _ expected: Bool) {
    let reading = readApplication(
      "<key>DBusActivatable</key>\(value)", variables: BuildVariables(["FLAG": "YES"]))
    #expect(reading.declaration?.isDBusActivatable == expected)
    #expect(reading.diagnostics.map(\.severity) == [.note])
    #expect(reading.diagnostics.map(\.consequence) == ["it was read as \(expected)"])
  }

  @Test("are false in other words", arguments: ["<string>maybe</string>", "<string/>", "<array/>"])
  func otherWords(_ value: String) {
    let reading = readApplication("<key>DBusActivatable</key>\(value)")
    #expect(reading.declaration?.isDBusActivatable == false)
    #expect(reading.diagnostics.map(\.severity) == [.warning])
  }

  @Test func `R1.39 hold quick actions, in order`() {
    func item(_ keys: String) -> String { "<dict>\(keys)</dict>" }
    let type = "<key>UIApplicationShortcutItemType</key><string>myapp://new</string>"
    let title = "<key>UIApplicationShortcutItemTitle</key><string>New</string>"
    let subtitle = "<key>UIApplicationShortcutItemSubtitle</key><string>Photo</string>"
    let reading = readApplication(
      "<key>UIApplicationShortcutItems</key><array>"
        + [item(type + title + subtitle), item(title), item(type), "<string>x</string>"].joined()
        + "</array>")
    #expect(
      reading.declaration?.shortcutItems == [
        QuickAction(type: "myapp://new", title: "New", subtitle: "Photo"),
        QuickAction(type: "myapp://new", title: "myapp://new"),
      ])
    #expect(
      reading.diagnostics.map { "\($0.keyPath): \($0.problem)" } == [
        "UIApplicationShortcutItems[1]: has no UIApplicationShortcutItemType",
        "UIApplicationShortcutItems[2]: has no UIApplicationShortcutItemTitle",
        "UIApplicationShortcutItems[3]: is text, but must be a dictionary",
      ])
  }

  /// A quick action with the contents of a user-info.
  private func userInfo(_ contents: String) -> (values: [String: PlainValue]?, problems: [String]) {
    let reading = readApplication(
      "<key>UIApplicationShortcutItems</key><array><dict>"
        + "<key>UIApplicationShortcutItemType</key><string>t</string>"
        + "<key>UIApplicationShortcutItemTitle</key><string>T</string>"
        + "<key>UIApplicationShortcutItemUserInfo</key><dict>\(contents)</dict></dict></array>")
    return (
      reading.declaration?.shortcutItems.first?.userInfo,
      reading.diagnostics.map { "\($0.keyPath): \($0.problem)" }
    )
  }

  @Test func `G4: the user info of a quick action is kept`() {
    let read = userInfo(
      "<key>s</key><string>x</string><key>t</key><true/><key>i</key><integer>-3</integer>"
        + "<key>r</key><real>1.5</real><key>l</key><array><string>a</string><false/></array>"
        + "<key>d</key><dict><key>n</key><integer>1</integer></dict>"
        + "<key>b</key><data>AP8B</data><key>e</key><data></data>")
    #expect(
      read.values == [
        "b": .data([0, 255, 1]), "e": .data([]),
        "s": .string("x"), "t": .boolean(true), "i": .integer(-3), "r": .double(1.5),
        "l": .list([.string("a"), .boolean(false)]), "d": .dictionary(["n": .integer(1)]),
      ])
    #expect(read.problems == [])
  }

  @Test func `G4: what a user info cannot hold is reported`() {
    let date = userInfo("<key>a</key><date>2020-01-01T00:00:00Z</date><key>b</key><true/>")
    #expect(date.values == ["b": .boolean(true)])
    #expect(
      date.problems == [
        "UIApplicationShortcutItems[0].UIApplicationShortcutItemUserInfo.a: is a date, which a quick action does"
          + " not carry"
      ])
    let deep = userInfo(
      "<key>a</key>" + String(repeating: "<array>", count: 9)
        + String(repeating: "</array>", count: 9))
    #expect(deep.problems.first?.contains("more than 8 dictionaries and arrays") == true)
    let large = userInfo("<key>a</key><string>\(String(repeating: "x", count: 4097))</string>")
    #expect(large.values == [:])
    #expect(large.problems.first?.contains("has more than 4096 bytes") == true)
  }

  @Test(
    arguments: [
      (["Type"], "Type"), (["SymbolName", "Type"], "SymbolName"),
      (["File", "SymbolName", "Type"], "File"), ([], nil),
    ] as [([String], String?)])
  func `R1.39 the icon of a quick action is its file, else its symbol, else its type`(
    given: [String], icon: String?
  ) {
    let keys = ["UIApplicationShortcutItemType", "UIApplicationShortcutItemTitle"]
    let icons = given.map { "<key>UIApplicationShortcutItemIcon\($0)</key><string>\($0)</string>" }
    let reading = readApplication(
      "<key>UIApplicationShortcutItems</key><array><dict>"
        + keys.map { "<key>\($0)</key><string>x</string>" }.joined() + icons.joined()
        + "</dict></array>")
    #expect(reading.declaration?.shortcutItems.map(\.icon) == [icon])
    #expect(reading.diagnostics == [])
  }

  private static let file = "<key>UILaunchImageFile</key>"
  private static let list = "<key>UILaunchImages</key>"
  private static func entry(_ name: String) -> String {
    "<dict><key>UILaunchImageName</key><string>\(name)</string></dict>"
  }

  static let launchImages: [(String, String, [String])] = [
    ("", "Default", []),
    (file + "<string>Start</string>", "Start", []),
    (
      file + "<string>Start</string>" + list + "<array>\(entry("A"))\(entry("B"))</array>", "A", []
    ),
    (
      file + "<string>../x</string>", "Default",
      ["UILaunchImageFile: \"../x\" is not the name of a file"]
    ),
    (
      list + "<array>\(entry("/x"))</array>" + file + "<string>Start</string>", "Start",
      ["UILaunchImages[0].UILaunchImageName: \"/x\" is not the name of a file"]
    ),
  ]

  @Test(arguments: launchImages)
  func `R1.41 name the launch image, and the list goes before the name`(
    keys: String, name: String, findings: [String]
  ) {
    let reading = readApplication(keys)
    #expect(reading.declaration?.launchImageName == name)
    #expect(reading.diagnostics.map { "\($0.keyPath): \($0.problem)" } == findings)
  }

  @Test(
    "NSUserActivityTypes has the types of user activities; an entry that is no text is left out")
  func userActivityTypes() {
    let reading = readApplication(
      "<key>NSUserActivityTypes</key><array><string>com.example.reading</string><dict/>"
        + "</array>")
    #expect(reading.declaration?.userActivityTypes == ["com.example.reading"])
    #expect(reading.report.count == 1)
  }
}
