import Commands
import Foundation
import LaunchRules
import TemporaryFolders
import Testing

@testable import lsregister

/// `lsregister lint` of a folder with sources.
@Suite struct LintTreeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(
    _ path: String, identifier: String, scheme: String, more: String = ""
  ) throws {
    try folder.write(
      """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>\(identifier)</string>
      <key>CFBundleURLTypes</key><array><dict>
      <key>CFBundleURLSchemes</key><array><string>\(scheme)</string></array></dict></array>\(more)
      </dict></plist>
      """, to: path)
  }

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

  /// The files that are checked.
  private func files(_ arguments: String...) -> [String] {
    let screen = run(arguments[0], "--format=tap").standardOutput
    return screen.matches(of: /ok \d+ - lsregister lint: (\S+)/).map { String($0.output.1) }
  }

  @Test("an Info.plist that cannot be read is an error beside good ones, and alone")
  func unreadable() throws {
    try write("src/Broken/Info.plist", identifier: "com.b", scheme: "b")
    try folder.write("<plist><dict><key>a</key>", to: "src/Broken/Info.plist")
    let alone = run("src")
    #expect(alone.code == .no)
    #expect(alone.standardOutput.contains("HERE/src/Broken/Info.plist"))
    try write("src/Good/Info.plist", identifier: "com.a", scheme: "a")
    let both = run("src")
    #expect(both.code == .no)
    #expect(both.standardOutput.contains("HERE/src/Broken/Info.plist:1: error: "))
  }

  @Test("a property list of an application is found by its contents, whatever its name")
  func names() throws {
    try write("src/MyApp.plist", identifier: "com.a", scheme: "a")
    try write("src/Info-Debug.plist", identifier: "com.b", scheme: "b")
    #expect(files("src") == ["src/Info-Debug.plist", "src/MyApp.plist"])
    try folder.write("<plist><dict>", to: "src/Info-Release.plist")
    #expect(run("src").standardOutput.contains("HERE/src/Info-Release.plist:1: error: "))
  }

  @Test("a property list that is no application's is not checked, also when it cannot be read")
  func otherPropertyLists() throws {
    try write("src/App/Info.plist", identifier: "com.a", scheme: "a")
    let google = "<plist><dict><key>REVERSED_CLIENT_ID</key><string>x</string></dict></plist>"
    try folder.write(google, to: "src/App/GoogleService-Info.plist")
    try folder.write("<plist>broken", to: "src/Release/GoogleService-Info.plist")
    for path in [
      "Settings.bundle/Root.plist", "ExportOptions.plist",
      "App.xcworkspace/xcuserdata/me.xcuserdatad/UserInterfaceState.plist",
    ] {
      try folder.write(
        "<plist><dict><key>method</key><string>x</string></dict></plist>", to: "src/\(path)")
      try folder.write("<plist>broken", to: "broken/\(path)")
    }
    // A part of a property list, which a script merges into another one.
    try folder.write(
      "<plist><dict><key>CFBundleURLTypes</key><array/></dict></plist>", to: "src/Additions.plist")
    #expect(files("src") == ["src/App/Info.plist"])
    #expect(run("src").code == .success)
    #expect(run("broken").code == .noSuchFile)
  }

  @Test("an association file in a folder is checked")
  func associationFile() throws {
    try write("src/Info.plist", identifier: "com.a", scheme: "a")
    try folder.write("{", to: "src/site/.well-known/apple-app-site-association")
    let ending = run("src")
    #expect(ending.code == .no)
    #expect(
      ending.standardOutput.contains(
        "HERE/src/site/.well-known/apple-app-site-association:1: error: it cannot be read as JSON at line 1, "
          + "column 2: the text ends too early; the file is refused: correct it"))
  }

  @Test(
    "a property list of another configuration of a project has the values of that configuration")
  func otherConfiguration() throws {
    try writeProject(at: "App.xcodeproj")
    try write("App/Info.plist", identifier: "$(PRODUCT_BUNDLE_IDENTIFIER)", scheme: "a")
    try write(
      "App/Info-Debug.plist", identifier: "$(PRODUCT_BUNDLE_IDENTIFIER)", scheme: "a-debug")
    for name in ["Debug", "Release"] {
      try folder.write("<plist><dict/></plist>", to: "App/\(name).entitlements")
    }
    #expect(files(".") == ["App/Info.plist", "App/Info-Debug.plist"])
    #expect(run(".").code == .success)
  }

  @Test("entitlements that a project names and that do not exist are an error, as in a build")
  func missingEntitlements() throws {
    try writeProject(at: "App.xcodeproj")
    try write("App/Info.plist", identifier: "$(PRODUCT_BUNDLE_IDENTIFIER)", scheme: "a")
    for path in [".", "App/Info.plist"] {
      let ending = run(path)
      #expect(ending.code == .no)
      #expect(
        ending.standardOutput.contains("HERE/App/Release.entitlements: error: "),
        "\(ending.standardOutput)")
    }
  }

  /// A project of one application with two configurations.
  private func writeProject(at path: String) throws {
    try folder.write(
      """
      // !$*UTF8*$!
      { objects = {
        P = { isa = PBXProject; buildConfigurationList = L; mainGroup = G; targets = (T); };
        G = { isa = PBXGroup; children = (); sourceTree = "<group>"; };
        T = { isa = PBXNativeTarget; name = App; buildConfigurationList = M;
          productType = "com.apple.product-type.application"; };
        L = { isa = XCConfigurationList; buildConfigurations = (); };
        M = { isa = XCConfigurationList; buildConfigurations = (D, R);
          defaultConfigurationName = Release; };
        D = { isa = XCBuildConfiguration; name = Debug; buildSettings = {
          INFOPLIST_FILE = "App/Info-Debug.plist"; CODE_SIGN_ENTITLEMENTS = App/Debug.entitlements;
          PRODUCT_BUNDLE_IDENTIFIER = com.a.debug; }; };
        R = { isa = XCBuildConfiguration; name = Release; buildSettings = {
          INFOPLIST_FILE = App/Info.plist; CODE_SIGN_ENTITLEMENTS = App/Release.entitlements;
          PRODUCT_BUNDLE_IDENTIFIER = com.a; }; };
      }; rootObject = P; }
      """, to: "\(path)/project.pbxproj")
  }

  @Test(
    "a folder with an Info.plist is searched, too, and the Info.plist is checked whatever it declares"
  )
  func folderWithPropertyList() throws {
    try folder.write(
      "<plist><dict><key>CFBundleIdentifier</key><string>com.a</string></dict></plist>",
      to: "App/Info.plist")
    try write("App/Share/Info.plist", identifier: "com.b", scheme: "b://")
    #expect(files("App") == ["App/Share/Info.plist", "App/Info.plist"])
    #expect(run("App").code == .no)
  }

  @Test("a misspelt key is a warning with the key that is meant")
  func misspeltKey() throws {
    try write(
      "Info.plist", identifier: "com.a", scheme: "a",
      more: "<key>LSApplicationQueriesScheme</key><array><string>b</string></array>")
    #expect(
      run("Info.plist").standardOutput.contains(
        "HERE/Info.plist: LSApplicationQueriesScheme: warning: unknown key LSApplicationQueriesScheme: did you"
          + " mean LSApplicationQueriesSchemes?; "))
    #expect(run("Info.plist", "--strict").code == .no)
  }
}
