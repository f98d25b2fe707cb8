import Foundation
import LaunchServicesTesting
import Testing

/// `lstest init` and `lstest run` with source trees in the layout of public applications, without an edit.
@MainActor @Suite("lstest with source trees", .timeLimit(.minutes(30)))
struct SourceTreeScenarioTests {
  /// A source tree, and the steps of its scenario.
  struct Tree: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var files: [String: String]
    var steps: [String]
  }

  private nonisolated static func list(_ scheme: String, version: String = "1") -> String {
    """
    <plist version="1.0"><dict>
    <key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
    <key>CFBundleName</key><string>$(PRODUCT_NAME)</string>
    <key>CFBundleVersion</key><string>\(version)</string>
    <key>CFBundleURLTypes</key><array><dict>
    <key>CFBundleURLSchemes</key><array><string>\(scheme)</string></array></dict></array>
    </dict></plist>
    """
  }

  /// A project with one application target, in the form that Xcode writes.
  private nonisolated static func project(
    target: String, base: String, _ settings: String
  ) -> String {
    """
    // !$*UTF8*$!
    {
    \tarchiveVersion = 1;
    \tobjects = {
    \t\tF1 = {isa = PBXFileReference; path = \(base); sourceTree = SOURCE_ROOT; };
    \t\tP1 /* Project object */ = {
    \t\t\tisa = PBXProject;
    \t\t\tbuildConfigurationList = L0;
    \t\t\tmainGroup = G0;
    \t\t\ttargets = (T1 /* \(target) */, T2 /* Tests */, );
    \t\t};
    \t\tG0 = {isa = PBXGroup; children = (F1, ); sourceTree = "<group>"; };
    \t\tT1 = {isa = PBXNativeTarget; buildConfigurationList = L1; name = \(target); productType = "com.apple.product-type.application"; };
    \t\tT2 = {isa = PBXNativeTarget; buildConfigurationList = L1; name = Tests; productType = "com.apple.product-type.bundle.unit-test"; };
    \t\tL0 = {isa = XCConfigurationList; buildConfigurations = (C0, ); defaultConfigurationName = Release; };
    \t\tL1 = {isa = XCConfigurationList; buildConfigurations = (C1, ); defaultConfigurationName = Release; };
    \t\tC0 /* Release */ = {isa = XCBuildConfiguration; buildSettings = {SDKROOT = iphoneos; }; name = Release; };
    \t\tC1 /* Release */ = {
    \t\t\tisa = XCBuildConfiguration;
    \t\t\tbaseConfigurationReference = F1;
    \t\t\tbuildSettings = {
    \t\t\t\tPRODUCT_NAME = "$(TARGET_NAME)";
    \t\t\t\t\(settings)
    \t\t\t};
    \t\t\tname = Release;
    \t\t};
    \t};
    \trootObject = P1;
    }
    """
  }

  nonisolated static let trees = [
    Tree(
      testDescription: "Xcode with xcconfig",
      files: [
        "Shop.xcodeproj/project.pbxproj": project(
          target: "Shop", base: "Config/Release.xcconfig",
          "INFOPLIST_FILE = Shop/Info.plist; CODE_SIGN_ENTITLEMENTS = Shop/Release.entitlements;"),
        "Config/Release.xcconfig": """
        #include "Base.xcconfig"
        #include? "Local.xcconfig"
        APP_SCHEME = shop // the scheme of the shop
        """,
        "Config/Base.xcconfig": """
        DEVELOPMENT_TEAM = ABCDE12345
        PRODUCT_BUNDLE_IDENTIFIER = com.example.$(TARGET_NAME:lower)
        """,
        "Shop/Info.plist": list("$(APP_SCHEME)"),
        "Shop/Release.entitlements": """
        <plist version="1.0"><dict><key>com.apple.developer.associated-domains</key>
        <array><string>applinks:shop.example.com</string></array></dict></plist>
        """,
      ],
      steps: [
        "  ok      application com.example.shop", "  ok      open shop://test",
        "  ok      click https://shop.example.com/test",
      ]),
    Tree(
      testDescription: "Flutter, before its tool has run",
      files: [
        "pubspec.yaml": "name: runner\nversion: 1.2.3+4\n",
        "ios/Runner.xcodeproj/project.pbxproj": project(
          target: "Runner", base: "Flutter/Release.xcconfig",
          "INFOPLIST_FILE = Runner/Info.plist; PRODUCT_BUNDLE_IDENTIFIER = com.example.runner;"),
        "ios/Flutter/Release.xcconfig": """
        #include? "Pods/Target Support Files/Pods-Runner/Pods-Runner.release.xcconfig"
        #include "Generated.xcconfig"
        """,
        "ios/Runner/Info.plist": list("runner", version: "$(FLUTTER_BUILD_NUMBER)"),
      ],
      steps: ["  ok      application com.example.runner", "  ok      open runner://test"]),
    Tree(
      testDescription: "React Native, without its pods",
      files: [
        "package.json": "{}",
        "node_modules/other/ios/Other/Info.plist": list("other"),
        "ios/Photos.xcodeproj/project.pbxproj": project(
          target: "Photos", base: "Pods/Pods-Photos.release.xcconfig",
          "INFOPLIST_FILE = Photos/Info.plist; PRODUCT_BUNDLE_IDENTIFIER ="
            + " \"org.reactjs.native.example.$(PRODUCT_NAME:rfc1034identifier)\";"),
        "ios/Photos/Info.plist": list("photos"),
      ],
      steps: [
        "  ok      application org.reactjs.native.example.Photos", "  ok      open photos://test",
      ]),
  ]

  @Test("init and run without an edit", arguments: trees)
  func unedited(_ tree: Tree) async throws {
    // Beside the sources is the world of the shell.
    let files = Dictionary(uniqueKeysWithValues: tree.files.map { ("src/" + $0, $1) })
    let script = "cd src && lstest init . --output all.lstest.json && lstest run all.lstest.json"
    let run = try await ScenarioRunTests.run(["shell", "--", "sh", "-c", script], files: files)
    #expect(run.end == "exited with code 0", "\(run.lines)")
    #expect(run.steps == tree.steps, "\(run.lines)")
  }

  @Test("a variable that a project leaves open is named, and --define gives the value")
  func open() async throws {
    var files = Self.trees[0].files
    files["Config/Release.xcconfig"] = "#include \"Base.xcconfig\"\n"
    files["a.lstest.json"] = """
      {"applications": [{"xcode": "Shop.xcodeproj"}],
       "steps": [{"open": "shop:1", "expect": {"handler": "com.example.shop"}}]}
      """
    let needed = try await ScenarioRunTests.run(["run", "."], files: files)
    #expect(needed.end == "exited with code 65")
    #expect(
      needed.lines.contains {
        $0.hasSuffix(
          "CFBundleURLTypes[0].CFBundleURLSchemes[0] needs a value of the build variable APP_SCHEME: write it"
            + " in define of the scenario, or add --define APP_SCHEME=VALUE")
      }, "\(needed.lines)")
    let given = try await ScenarioRunTests.run(
      ["run", ".", "--define", "APP_SCHEME=shop"], files: files)
    #expect(given.end == "exited with code 0", "\(given.lines)")
  }

  @Test("an .xcconfig file gives values to a property list")
  func configurationFile() async throws {
    let files = [
      "Generated.xcconfig": "PRODUCT_BUNDLE_IDENTIFIER = com.example.a\nPRODUCT_NAME = A\n",
      "Info.plist": Self.list("a"),
      "a.lstest.json": """
      {"applications": [{"plist": "Info.plist", "xcconfig": "Generated.xcconfig"}],
       "steps": [{"open": "a:1", "expect": {"handler": "com.example.a"}}]}
      """,
    ]
    let run = try await ScenarioRunTests.run(["run", "."], files: files)
    #expect(run.end == "exited with code 0", "\(run.lines)")
  }
}
