import Commands
import Foundation
import LaunchRules
import TemporaryFolders
import Testing

@testable import lsregister

/// Real files in a folder of their own.
@Suite struct LintTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// - Parameters:
  ///   - schemes: the values of `CFBundleURLSchemes`.
  ///   - hasProgram: whether the executable exists.
  private func write(
    _ path: String, identifier: String, scheme schemes: String..., more: String = "",
    hasProgram: Bool = true
  ) throws {
    let list = schemes.map { "<string>\($0)</string>" }.joined(separator: "\n")
    let text = """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>\(identifier)</string>
      <key>CFBundleName</key><string>A</string>
      <key>CFBundleVersion</key><string>1</string>
      <key>CFBundleExecutable</key><string>a</string>
      <key>CFBundleURLTypes</key><array><dict>
      <key>CFBundleURLSchemes</key><array>\(list)</array>
      </dict></array>\(more)
      </dict></plist>
      """
    try folder.write(text, to: path)
    guard hasProgram, path.contains(".app/") else { return }
    let program = path.replacing("Info.plist", with: path.contains("Contents") ? "MacOS/a" : "a")
    try folder.write("#!/bin/sh\n", to: program)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder[program])
  }

  /// Runs without any daemon.
  private func run(_ arguments: String..., environment: [String: String] = [:]) -> Ending {
    run(arguments: arguments, environment: environment)
  }

  private func run(arguments: [String], environment: [String: String] = [:]) -> Ending {
    let screen = Screen()
    // Without the system applications of this machine.
    let variables = ["PATH": "/usr/bin:/bin", "XDG_DATA_DIRS": "/nonexistent"]
      .merging(environment) { $1 }
    let command = RegisterCommand(
      service: ScriptedService().service, output: screen.output(of: "lsregister"),
      folder: folder.path, languages: .none, environment: { variables[$0] })
    let code = command.run(["lint"] + arguments)
    return Ending(
      code, screen.standardOutput.replacing(folder.path, with: "HERE"),
      error: screen.standardError.replacing(folder.path, with: "HERE"))
  }

  @Test(
    "a sound bundle gives no line", arguments: ["A.app/Info.plist", "A.app/Contents/Info.plist"])
  func clean(place: String) throws {
    try write(place, identifier: "com.a", scheme: "myapp")
    #expect(run("A.app") == Ending(.success))
    #expect(run("A.app/", "--json") == Ending(.success, "[]\n"))
  }

  @Test("R2.1 a warning is printed and is no failure")
  func warning() throws {
    try write("A.app/Info.plist", identifier: "com.a", scheme: "my app", "myapp")
    #expect(
      run("A.app")
        == Ending(
          .success,
          #"HERE/A.app/Info.plist: CFBundleURLTypes[0].CFBundleURLSchemes[0]: warning: "my app" "#
            + "contains a blank, which no scheme may; the scheme is not claimed: remove it\n"))
  }

  @Test(
    "U2, U4: an association file is checked, too",
    arguments: ["a.json", "apple-app-site-association"])
  func associationFile(name: String) throws {
    func lint(_ query: String) throws -> Ending {
      try Data(
        #"{"applinks":{"details":[{"appIDs":["A.com.a"],"components":[{"/":"/a","?":\#(query)}]}]}}"#
          .utf8
      ).write(to: URL(filePath: folder[name]))
      return run(name)
    }
    #expect(try lint(#"{"q":"1"}"#) == Ending(.success))
    #expect(
      try lint(#"{"q":1}"#)
        == Ending(
          .success,
          "HERE/\(name): applinks.details[0].components[0].?.q: warning: is a number, but must be text;"
            + " the whole \"?\" was ignored, as if it were absent (R8.13)\n"))
    #expect(try lint(#"{"q":"1",}"#).standardOutput.contains("has a comma before the end"))
    let refused = try lint("{")
    #expect(refused.code == .no)
    #expect(refused.standardOutput.contains(": error: it cannot be read as JSON"))
  }

  @Test("R8.18 applinks without a team give a warning, and the entitlements may have the team")
  func team() throws {
    try write("A.app/Info.plist", identifier: "com.a", scheme: "myapp")
    func entitle(_ more: String) throws {
      let text =
        "<plist version=\"1.0\"><dict><key>com.apple.developer.associated-domains</key><array>"
        + "<string>applinks:my.com</string></array>\(more)</dict></plist>"
      try Data(text.utf8).write(
        to: URL(filePath: folder["A.app/archived-expanded-entitlements.xcent"]))
    }
    try entitle("")
    #expect(
      run("A.app").standardOutput.contains(
        "warning: the application has applinks, and its team is not known"))
    try entitle("<key>application-identifier</key><string>ABCDE12345.com.a</string>")
    #expect(run("A.app") == Ending(.success))
  }

  @Test("an error is status 1, and --define cures a missing build variable")
  func buildVariable() throws {
    try write("a.plist", identifier: "$(ID)", scheme: "myapp")
    let broken = run("a.plist")
    #expect(broken.code == .no)
    #expect(broken.standardOutput.hasPrefix("HERE/a.plist: CFBundleIdentifier: error: "))
    #expect(broken.standardError == "")
    let json = run("a.plist", "--json")
    #expect(json.code == .no)
    #expect(json.standardOutput.contains(#""key-path":"CFBundleIdentifier""#))
    #expect(json.standardOutput.contains(#""severity":"error""#))
    #expect(run("a.plist", "--define", "ID=com.a").code == .success)
  }

  @Test("each path is looked at, and the code is that of the first that failed")
  func several() throws {
    try write("a.plist", identifier: "$(ID)", scheme: "myapp")
    try FileManager.default.createDirectory(
      at: URL(filePath: folder["Empty.app"]), withIntermediateDirectories: true)
    let ending = run("missing", "Empty.app", "a.plist")
    #expect(ending.code == .noSuchFile)
    #expect(
      ending.standardError == """
        lsregister: The file HERE/missing does not exist.
        lsregister: HERE/Empty.app: neither Info.plist nor Contents/Info.plist is in this folder; \
        name a bundle NAME.app or a property list

        """)
    #expect(ending.standardOutput.hasPrefix("HERE/a.plist: "))
  }

  // MARK: Status

  @Test("an application whose every scheme is refused is an error")
  func everySchemeIsRefused() throws {
    try write("A.app/Info.plist", identifier: "com.a", scheme: "myapp://", "1x")
    let ending = run("A.app")
    #expect(ending.code == .no)
    #expect(
      ending.standardOutput.hasSuffix(
        "HERE/A.app/Info.plist: CFBundleURLTypes[0].CFBundleURLSchemes[0]: error: all 2 schemes are"
          + " refused; the application claims no scheme and gets no URLs: correct the schemes\n"))
  }

  @Test("--strict fails on warnings, and a note fails nothing")
  func strict() throws {
    try write("A.app/Info.plist", identifier: "com.a", scheme: "my app", "myapp")
    #expect(run("A.app").code == .success)
    #expect(run("A.app", "--strict").code == .no)
    try write("b.plist", identifier: "com.b", scheme: "b")
    let note = run("b.plist", "--strict")
    #expect(note.code == .success)
    #expect(
      note.standardOutput.contains("HERE/b.plist: CFBundleExecutable: note: the program HERE/a"))
  }

  @Test("a program that does not exist is a warning")
  func program() throws {
    try write("A.app/Info.plist", identifier: "com.a", scheme: "a", hasProgram: false)
    #expect(
      run("A.app").standardOutput
        == "HERE/A.app/Info.plist: CFBundleExecutable: warning: the program HERE/A.app/a does not exist or"
        + " is not executable; the application cannot be started: build it for Linux, or correct"
        + " CFBundleExecutable\n")
    let arguments = "<key>ProgramArguments</key><array><string>no-such-program</string></array>"
    try write("b.plist", identifier: "com.b", scheme: "b", more: arguments)
    #expect(
      run("b.plist").standardOutput.contains(
        "ProgramArguments[0]: warning: the program no-such-program is in no folder of PATH"))
  }

  @Test(
    "a claim on a scheme of a system application must lose, and types of Core Types are declared")
  func systemApplications() throws {
    let system = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "systemd/share").path
    let types = ["com.adobe.pdf", "org.gnu.gnu-zip-archive", "org.example.unheard-of"]
    let documents =
      "<key>CFBundleDocumentTypes</key><array><dict><key>LSItemContentTypes</key><array>"
      + types.map { "<string>\($0)</string>" }.joined() + "</array></dict></array>"
    try write("A.app/Info.plist", identifier: "com.a", scheme: "tel", "a", more: documents)
    let ending = run("A.app", environment: ["XDG_DATA_DIRS": system])
    #expect(ending.code == .success)
    // A program that was built and not installed has the system applications of its source tree.
    for output in [ending, run("A.app")].map(\.standardOutput) {
      #expect(
        output.contains(
          "CFBundleURLTypes: warning: the scheme tel is reserved for org.launchservices.system.Phone"
        ))
    }
    #expect(
      ending.standardOutput.contains(
        "note: no application declares the type org.example.unheard-of"))
    #expect(!ending.standardOutput.contains("adobe"))
    #expect(run("A.app", "--strict", environment: ["XDG_DATA_DIRS": system]).code == .no)
  }

  // MARK: Formats

  @Test("github: an annotation has the file, the line and the title")
  func annotations() throws {
    try write("A.app/Info.plist", identifier: "com.a", scheme: "a", "b://")
    let ending = run("A.app", "--format", "github", "--strict")
    #expect(ending.code == .no)
    #expect(
      ending.standardOutput.contains(
        "::error file=A.app/Info.plist,line=8,title=CFBundleURLTypes[0].CFBundleURLSchemes[1]::\"b://\""
      ))
    let line = try #require(
      run("A.app", "--json").standardOutput.firstMatch(of: /"line":(\d+)/)?.output.1)
    #expect(line == "8")
  }

  @Test("a file that is no property list is an error with the line")
  func refusedLine() throws {
    let list = "<plist>\n<dict>\n<key>a</key>\n<strng>b</strng>\n</dict>\n</plist>\n"
    try folder.write(list, to: "A.app/Info.plist")
    let text = run("A.app")
    #expect(text.code == .no)
    #expect(
      text.standardOutput.contains("A.app/Info.plist:4: error: the XML is not a property list"))
    #expect(
      run("A.app", "--format", "github").standardOutput.contains(
        "::error file=A.app/Info.plist,line=4,"))
  }

  @Test("junit and tap: one case for each property list")
  func reports() throws {
    try write("A.app/Info.plist", identifier: "com.a", scheme: "a://", "1b://")
    try write("B.app/Info.plist", identifier: "com.b", scheme: "b")
    let junit = run("A.app", "B.app", "--format=junit")
    #expect(junit.code == .no)
    #expect(
      junit.standardOutput.contains(#"<testsuites name="lsregister lint" tests="2" failures="1""#))
    #expect(junit.standardOutput.contains(": write &quot;a&quot; alone\nA.app/Info.plist:"))
    #expect(!junit.standardOutput.contains(#"\n"#))
    let tap = run("A.app", "B.app", "--format=tap").standardOutput
    #expect(tap.contains("not ok 1 - lsregister lint: A.app/Info.plist\n"))
    #expect(tap.contains("\nok 2 - lsregister lint: B.app/Info.plist\n"))
  }

  // MARK: Build variables

  private func writeProject(_ settings: String, at path: String) throws {
    try folder.write(
      """
      // !$*UTF8*$!
      { objects = {
        P = { isa = PBXProject; buildConfigurationList = L; mainGroup = G; targets = (T); };
        G = { isa = PBXGroup; children = (F); sourceTree = "<group>"; };
        F = { isa = PBXFileReference; path = Base.xcconfig; sourceTree = "<group>"; };
        T = { isa = PBXNativeTarget; name = App; buildConfigurationList = M;
          productType = "com.apple.product-type.application"; };
        L = { isa = XCConfigurationList; buildConfigurations = (C); };
        M = { isa = XCConfigurationList; buildConfigurations = (D); };
        C = { isa = XCBuildConfiguration; name = Debug; buildSettings = { SDKROOT = iphoneos; }; };
        D /* Debug */ = {
          isa = XCBuildConfiguration; name = Debug; baseConfigurationReference = F;
          buildSettings = {
            INFOPLIST_FILE = App/Info.plist;
            \(settings)
          };
        };
      }; rootObject = P; }
      """, to: path + "/project.pbxproj")
  }

  @Test("a project gives the property list, its variables, the team and the entitlements")
  func project() throws {
    try writeProject(
      """
      PRODUCT_BUNDLE_IDENTIFIER = "com.example.$(PRODUCT_NAME:lower)";
      DEVELOPMENT_TEAM = TEAM1; CODE_SIGN_ENTITLEMENTS = App/App.entitlements;
      """, at: "ios/App.xcodeproj")
    try folder.write("APP_SCHEME = myapp // ours\n", to: "ios/Base.xcconfig")
    try write(
      "ios/App/Info.plist", identifier: "$(PRODUCT_BUNDLE_IDENTIFIER)", scheme: "$(APP_SCHEME)")
    try folder.write(
      "<plist><dict><key>com.apple.developer.associated-domains</key><array>"
        + "<string>applinks:$(DOMAIN)</string></array></dict></plist>",
      to: "ios/App/App.entitlements")
    let open = run("--xcode", "ios/App.xcodeproj")
    #expect(open.code == .success)
    #expect(
      open.standardOutput.contains(
        "HERE/ios/App/App.entitlements: com.apple.developer.associated-domains[0]: warning:"
          + " \"applinks:$(DOMAIN)\" contains the build variable DOMAIN, which has no value; it was ignored:"
          + " give it a value with --define DOMAIN=VALUE, or in define of a scenario or test"))
    let settled = run("ios", "--define", "DOMAIN=example.com", "--strict", "--show-build-settings")
    #expect(settled.code == .success)
    #expect(!settled.standardOutput.contains("warning"))
    #expect(
      settled.standardOutput.contains(
        "HERE/ios/App/Info.plist: note: the build variable APP_SCHEME is \"myapp\"; the value comes from"
          + " HERE/ios/Base.xcconfig:1\n"))
  }

  @Test("a property list without an identifier is that of a target that generates the missing keys")
  func generated() throws {
    try folder.write(
      "<plist><dict><key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>"
        + "<array><string>a</string></array></dict></array></dict></plist>", to: "App/Info.plist")
    #expect(run("App/Info.plist").code == .no)
    try writeProject(
      "PRODUCT_BUNDLE_IDENTIFIER = com.example.a; GENERATE_INFOPLIST_FILE = YES;",
      at: "App.xcodeproj")
    for argument in ["--xcode=App.xcodeproj", "App/Info.plist"] {
      let ending = run(argument, "--strict")
      #expect(ending.code == .success)
      #expect(!ending.standardOutput.contains("error"))
    }
  }

  @Test(
    "--xcconfig, --team, --sdk and --platform say what a property list of a source tree does not")
  func options() throws {
    try write(
      "Info.plist", identifier: "$(ID)", scheme: "a",
      more: "<key>LSApplicationQueriesSchemes</key><array>"
        + (0..<30).map { "<string>q\($0)</string>" }.joined() + "</array>")
    try folder.write("ID = com.example.a", to: "a.xcconfig")
    #expect(
      run("Info.plist", "--xcconfig=a.xcconfig", "--sdk", "26.0").standardOutput.contains("warning")
        == false)
    let newest = run("Info.plist", "--xcconfig=a.xcconfig", "--sdk", "iphoneos27.0").standardOutput
    #expect(newest.contains("an application linked with SDK 27 may list 25"))
    let macOS = run("Info.plist", "--xcconfig=a.xcconfig", "--sdk=27", "--platform=macOS")
      .standardOutput
    #expect(!macOS.contains("may list"))
  }

  @Test("a file of build variables that does not exist is status 2")
  func missingFiles() throws {
    try write("a.plist", identifier: "com.a", scheme: "a")
    #expect(run("a.plist", "--xcconfig=none.xcconfig").code == .noSuchFile)
    #expect(run("a.plist", "--xcode=None.xcodeproj").code == .noSuchFile)
  }

  // MARK: Folders and patterns

  @Test("a folder is searched for applications, and a pattern names several files")
  func tree() throws {
    try write("src/A/Info.plist", identifier: "com.a", scheme: "a://")
    try write("src/B/B-Info.plist", identifier: "com.b", scheme: "b")
    try write("src/.git/Info.plist", identifier: "com.c", scheme: "c://")
    try write("src/node_modules/x/Info.plist", identifier: "com.d", scheme: "d://")
    try folder.write(
      "<plist><dict><key>NSExtension</key><dict/><key>CFBundleURLTypes</key><array/></dict></plist>",
      to: "src/Share/Info.plist")
    try folder.write(
      "<plist><dict><key>x</key><string/></dict></plist>", to: "src/Other/Info.plist")
    func files(_ arguments: String...) -> [String] {
      let text = run(arguments: arguments + ["--format=tap"]).standardOutput
      return text.matches(of: /ok \d+ - lsregister lint: (\S+)/).map { String($0.output.1) }
    }
    #expect(files("src") == ["src/A/Info.plist", "src/B/B-Info.plist"])
    #expect(
      files("src/*/Info.plist") == [
        "src/A/Info.plist", "src/Other/Info.plist", "src/Share/Info.plist",
      ])
    #expect(files("**/B-*.plist") == ["src/B/B-Info.plist"])
    #expect(run("src/*/none.plist").code == .noSuchFile)
    try folder.write("x", to: "empty/x.txt")
    #expect(run("empty").code == .noSuchFile)
  }

  @Test("each option that a hint of a check names is an option of lint")
  func hints() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let help = run("--help").standardOutput
    var named: Set<String> = []
    // The modules whose diagnostics lint prints.
    for module in ["ApplicationFolders", "AssociationFiles", "BuildSettings", "PropertyLists"] {
      let sources = root.appending(path: "Sources/\(module)")
      for file in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
        let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
        for line in text.split(separator: "\n") where !line.contains("///") {
          named.formUnion(line.matches(of: /--[a-z][a-z-]+/).map { String($0.output) })
        }
      }
    }
    #expect(named.isSuperset(of: ["--define", "--target", "--team"]))
    for option in named { #expect(help.contains("\(option) "), "lint has no \(option)") }
  }

  @Test("entitlements beside a property list of a source tree are found")
  func entitlementsInTree() throws {
    try write("src/A/Info.plist", identifier: "com.a", scheme: "a")
    try folder.write(
      "<plist><dict><key>com.apple.developer.associated-domains</key><array>"
        + "<string>applinks:a.com</string></array></dict></plist>", to: "src/A/A.entitlements")
    #expect(run("src").standardOutput.contains("its team is not known"))
    #expect(!run("src", "--team", "TEAM1").standardOutput.contains("its team is not known"))
  }
}
