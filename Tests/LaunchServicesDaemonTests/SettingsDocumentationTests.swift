import Foundation
import Testing

@testable import LaunchServicesDaemon
@testable import launchservicesd

/// Committed documents that are made from the table of settings.
@Suite("Documents about settings") struct SettingsDocumentationTests {
  private static let advice: Comment =
    "write them again: swift build && Tests/update-settings-documents"

  private func committed(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("the manual page is that of the table") func manualPage() throws {
    let page = try committed("systemd/man/launch-services.plist.5")
    #expect(page == SettingsDocumentation.Format.roff.text, Self.advice)
  }

  @Test("the guide has the table") func guide() throws {
    let text = try committed("Sources/LaunchServices/LaunchServices.docc/Settings.md")
    let table = SettingsDocumentation.Format.markdown.text
    #expect(text.contains("\n\n\(table)\n<!-- end of settings -->\n"), Self.advice)
  }

  @Test("text of a manual page: one sentence a line, bold between backticks, no line a request")
  func roff() {
    #expect(
      Roff.sentences("Keep `mode=a-b` and \\. The `x y` too.") == [
        "Keep \\fBmode=a\\-b\\fR and \\e.", "The \\fBx y\\fR too.",
      ])
    #expect(Roff.sentences(".TH 'a") == ["\\&.TH 'a"])
    let lines = Roff.sentences(String(repeating: "'word ", count: 30))
    #expect(lines.count == 3 && lines.allSatisfy { $0.count <= 80 && $0.hasPrefix("\\&'word") })
  }
}
