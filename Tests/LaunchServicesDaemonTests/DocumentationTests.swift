import BusContract
import DBus
import Foundation
import Testing

@testable import LaunchServicesDaemon
@testable import launchservicesd

/// Committed documents that are made from tables.
@Suite("Documents that are made from tables") struct DocumentationTests {
  private static let advice: Comment = "write them again: swift build && Tests/update-documents"

  private func committed(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Whether the guide has the text between the marks with the name.
  private func guide(_ guide: String, has text: String, between name: String) throws -> Bool {
    try committed("Sources/LaunchServices/LaunchServices.docc/\(guide)")
      .contains(
        "<!-- \(name): made by Tests/update-documents -->\n\n\(text)\n<!-- end of \(name) -->\n")
  }

  @Test("the manual page of the settings is that of the table") func settingsPage() throws {
    let page = try committed("systemd/man/launch-services.plist.5")
    #expect(page == SettingsDocumentation.text(.roff), Self.advice)
  }

  @Test("the guide has the table of the settings") func settingsGuide() throws {
    #expect(
      try guide(
        "Settings.md", has: SettingsDocumentation.text(.markdown), between: "settings"),
      Self.advice)
  }

  @Test("the manual page of the D-Bus interfaces is that of their descriptions")
  func contractPage() throws {
    let page = try committed("systemd/man/org.launchservices.LaunchServices1.5")
    #expect(page == ContractDocumentation.text(.roff), Self.advice)
  }

  @Test("the guide has the descriptions of the D-Bus interfaces") func contractGuide() throws {
    #expect(
      try guide(
        "DBusContract.md", has: ContractDocumentation.text(.markdown), between: "contract"),
      Self.advice)
  }

  @Test("the introspection data that are installed are those of the descriptions")
  func contractInterfaces() throws {
    let installed = try committed(
      "systemd/share/dbus-1/interfaces/org.launchservices.LaunchServices1.xml")
    #expect(installed == ContractDocumentation.text(.xml), Self.advice)
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
