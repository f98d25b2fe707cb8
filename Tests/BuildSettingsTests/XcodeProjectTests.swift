import BuildSettings
import LaunchRules
import Testing

@Suite struct XcodeProjectTests {
  static let path = "/src/App.xcodeproj"

  private func target(
    _ text: String, _ others: [String: String] = [:],
    _ change: (inout BuildRequest) -> Void = { _ in }
  ) throws -> ApplicationTarget {
    var request = BuildRequest()
    request.project = Self.path
    change(&request)
    let contents = others.merging([Self.path + "/project.pbxproj": text]) { $1 }
    let targets = try request.targets(files(contents))
    return try #require(targets.count == 1 ? targets.first : nil)
  }

  @Test(
    "the target is stronger than its file, that than the project, and that than Xcode's defaults")
  func layers() throws {
    let target = try target(
      project(
        "A = project; B = project; C = project; BASE = \"com.example\";",
        "A = target; PRODUCT_BUNDLE_IDENTIFIER = \"$(BASE).$(PRODUCT_NAME:rfc1034identifier)\";",
        base: "baseConfigurationReference = F1 /* App.xcconfig */;"),
      ["/src/Config/App.xcconfig": "A = file\nB = file $(inherited)\nPRODUCT_NAME = My App\n"])
    #expect(target.propertyList == "/src/App/Info.plist")
    #expect(target.settings.value("A") == "target")
    #expect(target.settings.value("B") == "file project")
    #expect(target.settings["B"]?.source == SettingSource("/src/Config/App.xcconfig", line: 2))
    #expect(target.settings.value("C") == "project")
    #expect(target.settings.value("PRODUCT_BUNDLE_IDENTIFIER") == "com.example.My-App")
    #expect(target.settings.value("EXECUTABLE_NAME") == "My App")
    #expect(target.settings.value("SRCROOT") == "/src")
    #expect(target.settings.value("PLATFORM_NAME") == "iphonesimulator")
  }

  @Test("a value of the project has its line")
  func line() throws {
    let text = project("", "\"A[sdk=iphonesimulator*]\" = 2;\n\t\t\t\tA = 1;")
    let target = try target(text)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let index = try #require(lines.firstIndex { $0.contains("sdk=iphonesimulator*") })
    #expect(target.settings["A"]?.value == "2")
    #expect(
      target.settings["A"]?.source
        == SettingSource("/src/App.xcodeproj/project.pbxproj", line: index + 1))
  }

  @Test("a configuration file that a tool makes may be missing, and is named")
  func missingBase() throws {
    let target = try target(
      project("", "", base: "baseConfigurationReference = F1 /* App.xcconfig */;"))
    #expect(
      target.settings.problems.map(\.text) == [
        "the configuration file /src/Config/App.xcconfig does not exist"
      ])
  }

  @Test("arrays are joined with blanks")
  func arrays() throws {
    #expect(
      try target(project("", "A = (one, \"two three\", );")).settings.value("A") == "one two three")
  }

  @Test("an unknown target, configuration or project is refused with the known names")
  func unknown() {
    func failure(_ text: String, _ change: (inout BuildRequest) -> Void) -> String? {
      do {
        _ = try target(text, [:], change)
        return nil
      } catch { return "\(error)" }
    }
    #expect(
      failure(project()) { $0.target = "X" }
        == "/src/App.xcodeproj has no target X; its application targets are App")
    #expect(
      failure(project()) { $0.configuration = "X" }
        == "the target App of /src/App.xcodeproj has no configuration X; its configurations are Debug"
    )
    #expect(
      failure(project()) { $0.project = "/src/Y.xcodeproj" }
        == "The file /src/Y.xcodeproj/project.pbxproj does not exist.")
    #expect(
      failure(project("", "INFOPLIST_PREPROCESS = YES;")) { _ in }?.contains("C preprocessor")
        == true)
    #expect(
      failure(project(targets: "")) { _ in } == "/src/App.xcodeproj has no application target")
  }

  @Test("a Flutter project has its version from pubspec.yaml, unless a file says another one")
  func flutter() throws {
    let text = project("", "INFOPLIST_FILE = Runner/Info.plist;")
    let target = try target(text, ["/pubspec.yaml": "name: x\nversion: 1.2.3+4 # comment\n"])
    #expect(target.settings.value("FLUTTER_BUILD_NAME") == "1.2.3")
    #expect(
      target.settings["FLUTTER_BUILD_NUMBER"]?.source == SettingSource("/pubspec.yaml", line: 2))
    #expect(target.settings.value("FLUTTER_BUILD_NUMBER") == "4")
  }

  static let hostile: [String] = [
    String(repeating: "(", count: 200_000), String(repeating: "{a=", count: 100_000),
    "/* */" + String(repeating: "{\"a\"=(", count: 100_000),
    "// }\n{" + String(repeating: "x=(", count: 9999),
    "'" + String(repeating: "(", count: 100), "{", "{objects={};", "\"", "(a,",
    "{objects = a; rootObject = b;}",
    "{rootObject = {}; objects = {};}", "", "<plist><dict></dict></plist>", "{\"a\\", "<", "{a=<",
    "{a=<*I5>;}",
    "{ objects = { a = { isa = PBXProject; targets = (a); children = (a); }; }; rootObject = a; }",
  ]

  @Test("no damaged or hostile file ends the process", arguments: hostile)
  func damagedFile(text: String) {
    #expect(throws: (any Error).self) { try target(text) }
  }

  @Test("groups that contain each other end")
  func cyclicGroups() throws {
    let text = project("", "", base: "baseConfigurationReference = F1;").replacing(
      "children = (\n\t\t\t\tF1 /* App.xcconfig */,", with: "children = (G1, F1,")
    #expect(try target(text).settings.value("SRCROOT") == "/src")
  }
}
