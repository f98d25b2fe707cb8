import Commands
import Foundation
import LaunchRules
import Testing

@testable import lsregister

/// Real files in a folder of their own.
@Suite final class LintTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("lint-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ path: String, identifier: String, scheme: String) throws {
    let file = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let text = """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>\(identifier)</string>
      <key>CFBundleName</key><string>A</string>
      <key>CFBundleVersion</key><string>1</string>
      <key>CFBundleExecutable</key><string>a</string>
      <key>CFBundleURLTypes</key><array><dict>
      <key>CFBundleURLSchemes</key><array><string>\(scheme)</string></array>
      </dict></array>
      </dict></plist>
      """
    try Data(text.utf8).write(to: file)
  }

  /// Runs without any daemon.
  private func run(_ arguments: String...) -> Ending {
    let screen = Screen()
    let command = RegisterCommand(
      service: ScriptedService().service, output: screen.output(of: "lsregister"),
      folder: folder.path, languages: .none)
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
    try write("A.app/Info.plist", identifier: "com.a", scheme: "my app")
    #expect(
      run("A.app")
        == Ending(
          .success,
          #"HERE/A.app/Info.plist: CFBundleURLTypes[0].CFBundleURLSchemes[0]: warning: "my app" "#
            + "contains a blank, which no scheme may; the scheme is not claimed: remove it\n"))
  }

  @Test("R8.18 applinks without a team give a warning, and the entitlements may have the team")
  func team() throws {
    try write("A.app/Info.plist", identifier: "com.a", scheme: "myapp")
    func entitle(_ more: String) throws {
      let text =
        "<plist version=\"1.0\"><dict><key>com.apple.developer.associated-domains</key><array>"
        + "<string>applinks:my.com</string></array>\(more)</dict></plist>"
      try Data(text.utf8).write(
        to: folder.appendingPathComponent("A.app/archived-expanded-entitlements.xcent"))
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
      at: folder.appendingPathComponent("Empty.app"), withIntermediateDirectories: true)
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
}
