import Foundation
import LaunchServicesTesting
import Testing

/// The manual pages, held against what the programs say of themselves.
@MainActor @Suite("Manual pages", .timeLimit(.minutes(30)))
struct ManualPageTests {
  enum Page: String, CaseIterable {
    case lsopen = "lsopen.1"
    case lsregister = "lsregister.1"
    case lstest = "lstest.1"
    case launchservicesd = "launchservicesd.8"
    case desktop = "launchservices-desktop.8"
    case links = "launchservices-links.8"
    case settings = "launch-services.plist.5"
    case contract = "org.launchservices.LaunchServices1.5"
    case concepts = "launch-services.7"

    /// Those of programs.
    static let commands: [Self] = [
      .lsopen, .lsregister, .lstest, .launchservicesd, .desktop, .links,
    ]

    var program: String { String(rawValue.prefix { $0 != "." }) }
    var path: String {
      URL(filePath: Example.folder).deletingLastPathComponent().appending(path: "systemd/man")
        .appending(path: rawValue).path
    }
  }

  /// The tags of a section of a page, without fonts.
  private func tags(_ page: Page, _ section: String) throws -> [String] {
    let text = try String(contentsOfFile: page.path, encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init)
      .drop { $0 != ".SH \(section)" }.dropFirst().prefix { !$0.hasPrefix(".SH ") }
    return zip(lines, lines.dropFirst()).filter { $0.0 == ".TP" }.map { _, tag in
      tag.replacing("\\fB", with: "").replacing("\\fI", with: "").replacing("\\fR", with: "")
        .replacing(".B ", with: "").replacing("\\-", with: "-")
    }
  }

  /// That the left column of a table of the help text has what a section of the page has.
  private func compare(_ page: Page, _ table: String, _ section: String) async throws {
    let tags = try tags(page, section)
    try await Testbed.run(startsDaemon: false) { world in
      let help = try world.startProcess(try #require(Example.program(page.program)), ["--help"])
      #expect(try await help.hasEnded() == "exited with code 0")
      // The second line of a cell begins further to the right.
      let rows = help.lines.drop { $0 != table + ":" }.dropFirst().prefix { !$0.isEmpty }
        .filter { $0.prefix { $0 == " " }.count <= 6 }
      let column = rows.map { row in
        let text = String(row.drop { $0 == " " })
        return text.firstRange(of: "  ").map { String(text[..<$0.lowerBound]) } ?? text
      }
      #expect(!column.isEmpty && column == tags)
    }
  }

  @Test("have the options of --help, in its order, and no other", arguments: Page.commands)
  func options(_ page: Page) async throws {
    try await compare(page, "Options", "OPTIONS")
  }

  @Test("have the verbs, with their arguments", arguments: [Page.lsregister, .lstest, .desktop])
  func verbs(_ page: Page) async throws {
    try await compare(page, "Verbs", "VERBS")
  }

  @Test("have each exit status", arguments: [Page.lsopen, .lsregister, .lstest])
  func exitStatus(_ page: Page) async throws {
    try await compare(page, "Exit status", "EXIT STATUS")
  }

  @Test(
    "mandoc finds nothing to remark",
    .enabled(
      if: IntrospectionTests.isInstalled("mandoc"), "mandoc is missing: install the package mandoc"),
    arguments: Page.allCases)
  func mandoc(_ page: Page) async throws {
    try await lint("mandoc", ["-Tlint", "-Wstyle", page.path])
  }

  @Test(
    "groff finds nothing to warn of",
    .enabled(
      if: IntrospectionTests.isInstalled("groff"),
      "groff is missing: install the package groff-base"),
    arguments: Page.allCases)
  func groff(_ page: Page) async throws {
    try await lint(
      "groff", ["-man", "-ww", "-Kutf8", "-Tutf8", "-z", page.path])
  }

  @Test("there is no page that these tests leave out") func complete() throws {
    let folder = URL(filePath: Page.lsopen.path).deletingLastPathComponent().path
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        == Set(Page.allCases.map(\.rawValue)))
  }

  private func lint(_ tool: String, _ arguments: [String]) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let linter = try world.startProcess(tool, arguments)
      #expect(try await linter.hasEnded() == "exited with code 0")
      #expect(linter.lines.isEmpty)
    }
  }
}
