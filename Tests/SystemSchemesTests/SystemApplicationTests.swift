import ApplicationFolders
import Foundation
import LaunchRules
import SystemSchemes
import Testing

/// The property lists that come with Launch Services.
@Suite struct `The system applications` {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "systemd/share/" + ApplicationFolder.systemFolder).path

  private static func declaration(_ name: String) -> ApplicationDeclaration? {
    ApplicationReading(of: "\(folder)/\(name).plist", isSystem: true).application?.declaration
  }

  @Test("R2.10 load without a diagnostic, and lint has nothing to say either")
  func load() throws {
    let paths = try ApplicationFolder(Self.folder, isSystem: true).contents().propertyLists.sorted()
    #expect(paths.count == 9)
    for path in paths {
      let reading = ApplicationReading(of: path, isSystem: true)
      #expect(reading.diagnostics == [])
      #expect(ApplicationLint(of: path, searchPath: "").diagnostics == [])
      let name = path.dropFirst(Self.folder.count + 1).dropLast(".plist".count)
      #expect(
        reading.application?.identifier.text == "org.launchservices.system.\(name)")
      // Types only are nothing to start.
      #expect(
        reading.application?.declaration.program
          == (name == "CoreTypes" ? .missing : .arguments(["launchservices-desktop"])))
    }
  }

  @Test("R2.10 claim the schemes that Apple documents", arguments: SystemApplication.allCases)
  func schemes(_ application: SystemApplication) throws {
    let declaration = try #require(Self.declaration(application.name))
    #expect(declaration.identifier.text == application.identifier)
    #expect(declaration.urlTypes.flatMap(\.schemes).map(\.text) == application.schemes)
    #expect(declaration.webHosts == [])
  }

  @Test("R2.12 have the hosts whose formats are known")
  func hosts() throws {
    let expected = [
      "Maps": MapsURL.hosts, "iTunes": ITunesURL.hosts, "YouTube": YouTubeURL.hosts,
    ]
    for (name, hosts) in expected {
      let declaration = try #require(Self.declaration(name))
      #expect(declaration.webHosts.map(\.text) == hosts)
      #expect(declaration.urlTypes == [])
    }
  }
}
