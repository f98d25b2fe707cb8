internal import FoundationEssentials
internal import Host
internal import StubApplications

extension TestbedFolders {
  static let systemFolder = "launch-services/System"

  /// Writes Phone, Safari and the other system applications, with stand-ins as their programs.
  func writeSystemApplications() throws {
    let stub = StubPropertyList(program: try Programs.find(StubPropertyList.program))
    _ = try SystemStubs(of: try Self.systemPropertyLists(), stub).write(to: systemApplications)
  }

  /// The folder that is installed with the daemon, or else that of the source tree: another package builds the daemon in
  /// a folder of its own.
  private static func systemPropertyLists(source: String = #filePath) throws -> String {
    func parent(_ path: String, _ count: Int = 1) -> String {
      "/" + path.split(separator: "/").dropLast(count).joined(separator: "/")
    }
    let daemon = try Programs.find("launchservicesd")
    if let found = InstalledFolder.shared(systemFolder, with: parent(daemon)) { return found }
    let inSources = parent(source, 4) + "/systemd/share/" + systemFolder
    guard FileManager.default.fileExists(atPath: inSources) else {
      throw TestbedFailure(
        "the property lists of the system applications are missing: there is no \(inSources), and no share/"
          + "\(systemFolder) is installed with \(daemon)")
    }
    return inSources
  }
}
