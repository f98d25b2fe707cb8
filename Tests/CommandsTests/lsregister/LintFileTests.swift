import Commands
import Foundation
import LaunchRules
import TemporaryFolders
import Testing

@testable import lsregister

/// `lsregister lint` of files that are named, as a hook and a shell name them, and of entitlements and files of sites.
@Suite struct LintFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String...) -> Ending {
    let screen = Screen()
    let variables = ["PATH": "/usr/bin:/bin", "XDG_DATA_DIRS": "/nonexistent"]
    let command = RegisterCommand(
      service: ScriptedService().service, output: screen.output(of: "lsregister"),
      folder: folder.path, languages: .none, environment: { variables[$0] })
    let code = command.run(["lint"] + arguments)
    return Ending(
      code, screen.standardOutput.replacing(folder.path, with: "HERE"),
      error: screen.standardError.replacing(folder.path, with: "HERE"))
  }

  private static func list(_ identifier: String, _ more: String = "") -> String {
    """
    <plist version="1.0"><dict>
    <key>CFBundleIdentifier</key><string>\(identifier)</string>
    <key>CFBundleURLTypes</key><array><dict>
    <key>CFBundleURLSchemes</key><array><string>shop</string></array></dict></array>\(more)
    </dict></plist>
    """
  }

  private static func entitlements(_ domain: String) -> String {
    """
    <plist version="1.0"><dict>
    <key>com.apple.developer.associated-domains</key>
    <array><string>\(domain)</string></array>
    </dict></plist>
    """
  }

  /// A tree as Xcode makes it, with files that are no property lists of applications.
  private func writeTree() throws {
    try folder.write(
      """
      // !$*UTF8*$!
      { objects = {
        P = { isa = PBXProject; buildConfigurationList = L; mainGroup = G; targets = (T); };
        G = { isa = PBXGroup; children = (); sourceTree = "<group>"; };
        T = { isa = PBXNativeTarget; name = Shop; buildConfigurationList = M;
          productType = "com.apple.product-type.application"; };
        L = { isa = XCConfigurationList; buildConfigurations = (); };
        M = { isa = XCConfigurationList; buildConfigurations = (R);
          defaultConfigurationName = Release; };
        R = { isa = XCBuildConfiguration; name = Release; buildSettings = { DEVELOPMENT_TEAM = ABCDE12345;
          INFOPLIST_FILE = Shop/Info.plist; CODE_SIGN_ENTITLEMENTS = Shop/Shop.entitlements;
          DOMAIN = shop.example.com; PRODUCT_BUNDLE_IDENTIFIER = com.example.shop; }; };
      }; rootObject = P; }
      """, to: "good/Shop.xcodeproj/project.pbxproj")
    try folder.write(Self.list("$(PRODUCT_BUNDLE_IDENTIFIER)"), to: "good/Shop/Info.plist")
    try folder.write(Self.entitlements("applinks:$(DOMAIN)"), to: "good/Shop/Shop.entitlements")
    try folder.write(
      "<plist><dict><key>REVERSED_CLIENT_ID</key><string>x</string></dict></plist>",
      to: "good/Shop/GoogleService-Info.plist")
    try folder.write(
      Self.list("com.example.shop.share", "<key>NSExtension</key><dict/>"),
      to: "good/Share/Info.plist")
    try folder.write(
      "<plist><dict><key>PreferenceSpecifiers</key><array/></dict></plist>",
      to: "good/Shop/Settings.bundle/Root.plist")
    try folder.write(
      "<plist><dict><key>method</key><string>ad-hoc</string></dict></plist>",
      to: "good/ExportOptions.plist")
  }

  @Test("a file in the tree of a project has the values of its target, and its entitlements too")
  func fileOfProject() throws {
    try writeTree()
    #expect(run("good/Shop/Info.plist", "--strict") == Ending(.success))
    #expect(run("good/Shop/Shop.entitlements", "--strict") == Ending(.success))
    #expect(run("good", "--strict") == Ending(.success))
  }

  @Test(
    "a property list of something else is skipped with a note",
    arguments: [
      ("Shop/GoogleService-Info.plist", "not the property list of an application"),
      ("Share/Info.plist", "the property list of an application extension"),
      ("Shop/Settings.bundle/Root.plist", "not the property list of an application"),
      ("ExportOptions.plist", "not the property list of an application"),
    ])
  func otherFile(path: String, words: String) throws {
    try writeTree()
    #expect(
      run("good/\(path)", "--strict")
        == Ending(.success, "HERE/good/\(path): note: it is \(words); it is not checked\n"))
  }

  @Test("of the files of a pattern those of applications are checked, as in a folder")
  func pattern() throws {
    try writeTree()
    try folder.write("<plist>broken", to: "good/Other.plist")
    for pattern in ["good/**/*.plist", "good/**/*.entitlements"] {
      #expect(run(pattern).code == .success, "\(run(pattern).standardOutput)")
    }
    try folder.write(
      Self.list("com.example.b").replacing("shop<", with: "shop://<"), to: "good/B/Info.plist")
    #expect(run("good/**/*.plist").code == .no)
  }

  @Test("an Info.plist without an identifier is an error, and a file of nothing known too")
  func wrongFile() throws {
    try folder.write(
      "<plist><dict><key>CFBundleURLTypes</key><array/></dict></plist>", to: "App/Info.plist")
    #expect(run("App/Info.plist").standardOutput.contains("CFBundleIdentifier: error: "))
    try folder.write("<plist><dict/></plist>", to: "a.plist")
    #expect(run("a.plist").code == .no)
  }

  @Test("entitlements that cannot be read are an error: beside a property list, by name, alone")
  func unreadableEntitlements() throws {
    try folder.write(Self.list("com.a"), to: "src/App/Info.plist")
    try folder.write("<plist version=\"1.0\"><dict><key>a</key>", to: "src/App/App.entitlements")
    for path in ["src", "src/App/Info.plist", "src/App/App.entitlements"] {
      let ending = run(path)
      #expect(ending.code == .no)
      #expect(
        ending.standardOutput.hasPrefix("HERE/src/App/App.entitlements:1: error: "),
        "\(ending.standardOutput)")
    }
    try folder.write("<plist", to: "alone/Debug.entitlements")
    #expect(run("alone").code == .no)
  }

  @Test("all entitlements are looked at when it is not known which counts")
  func severalEntitlements() throws {
    try folder.write(Self.list("com.a"), to: "src/App/Info.plist")
    try folder.write(Self.entitlements("applinks:https://a.com"), to: "src/App/Debug.entitlements")
    try folder.write(Self.entitlements("applinks:b.com/path"), to: "src/App/Release.entitlements")
    let ending = run("src", "--strict")
    #expect(ending.code == .no)
    for name in ["Debug", "Release"] {
      #expect(
        ending.standardOutput.contains(
          "HERE/src/App/\(name).entitlements: com.apple.developer.associated-domains[0]: warning: "
        ),
        "\(ending.standardOutput)")
    }
  }

  @Test("entitlements of which it is not known which counts are a warning when they differ")
  func rivalEntitlements() throws {
    try folder.write(Self.list("com.a"), to: "src/App/Info.plist")
    for name in ["Debug", "Release"] {
      try folder.write(
        Self.entitlements("applinks:a.example.com"), to: "src/App/\(name).entitlements")
    }
    #expect(run("src", "--strict") == Ending(.success))
    try folder.write(Self.entitlements("applinks:b.example.com"), to: "src/App/Debug.entitlements")
    for path in ["src", "src/App/Info.plist"] {
      #expect(
        run(path, "--strict")
          == Ending(
            .no,
            "HERE/src/App/Info.plist: warning: the entitlements Debug.entitlements, Release.entitlements beside"
              + " it differ; none of them was read with it: name the file of the build with --define"
              + " CODE_SIGN_ENTITLEMENTS=Debug.entitlements\n"))
    }
    let named = "--define=CODE_SIGN_ENTITLEMENTS=\(folder.path)/src/App/Debug.entitlements"
    #expect(run("src/App/Info.plist", named, "--team=ABCDE12345", "--strict") == Ending(.success))
  }

  @Test("a variable in entitlements of no known build is no error")
  func openVariable() throws {
    try folder.write(Self.entitlements("applinks:$(DOMAIN)"), to: "App/App.entitlements")
    #expect(run("App/App.entitlements").code == .success)
    #expect(run("App").code == .success)
  }

  @Test("a mistake in a file of a site has its line and column, a key its line")
  func files() throws {
    try folder.write("{\n  \"applinks\": {\n    \"details\": [,]\n  }\n}\n", to: "a.json")
    let refused = run("a.json", "--format", "github").standardOutput
    #expect(
      refused.contains(
        "::error file=a.json,line=3,col=17,title=a.json::it cannot be read as JSON at line 3, column"
          + " 17: unexpected \",\"; "),
      "\(refused)")
    try folder.write(
      "{\"applinks\": {\"details\": [\n{\"appIDs\": [\"A.com.a\"],\n\"components\": []}]}}",
      to: "a.json")
    let empty = run("a.json", "--strict", "--format", "github")
    #expect(empty.code == .no)
    #expect(empty.standardOutput.contains("file=a.json,line=3,"), "\(empty.standardOutput)")
    #expect(empty.standardOutput.contains("is empty; the entry matches no URL: add a component"))
    try folder.write("[\n{\"relation\" 1}]", to: "site/.well-known/assetlinks.json")
    for path in ["site", "site/.well-known/assetlinks.json"] {
      let ending = run(path)
      #expect(ending.code == .no)
      #expect(
        ending.standardOutput
          == "HERE/site/.well-known/assetlinks.json:2: error: it cannot be read as JSON at line 2, column 13:"
          + " unexpected \"1\"; the file is refused: correct it\n")
    }
  }
}
