internal import ApplicationFolders
internal import Commands
internal import FoundationEssentials
internal import Host
internal import LaunchRules
internal import PropertyLists
internal import StubApplications

/// `lsregister add --stub`: a copy of a property list, with a stand-in as its program. Each application has one copy, in
/// the state folder of the user.
extension RegisterCommand {
  /// Returns the path of the copy, and the values of build variables for it.
  func writeStandIn(
    for path: String, _ definitions: [String: String], _ behaviour: StubBehaviour
  ) throws(CommandFailure) -> (path: String, definitions: [String: String]) {
    let file: String
    do throws(PropertyListPath.NotFound) {
      file = try PropertyListPath.find(path)
    } catch {
      throw CommandFailure(error.isMissing ? .noSuchFile : .failed, error.description)
    }
    let variables = BuildVariables(definitions)
    let reading = ApplicationReading(of: file, variables: variables)
    guard let declaration = reading.application?.declaration else {
      throw CommandFailure(
        .failed, reading.diagnostics.map(\.description).joined(separator: "\n"))
    }
    let stub = StubPropertyList(
      program: try standIn(), behaviour, opensTogether: declaration.platform == .macOS)
    let folder = standInFolder(of: declaration.identifier)
    do {
      let bytes = try RegularFile.read(file, atMost: InfoPropertyList.largestSize).bytes
      let tree = try PropertyTree(propertyList: Data(HostileInput.admit(bytes)))
      try? FileManager.default.removeItem(atPath: folder.path)
      try FileManager.default.createDirectory(
        atPath: folder.path, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: folder.original, withDestinationPath: FilePath.absolute(file, from: self.folder))
      if let entitlements = ApplicationReading.entitlementsFile(of: file, variables) {
        try FileManager.default.copyItem(atPath: entitlements, toPath: folder.entitlements)
      }
      try stub.replacingProgram(of: tree).write(
        to: URL(filePath: folder.propertyList), options: .atomic)
    } catch {
      let reason = FileProblem(error)?.description ?? "\(error)"
      throw CommandFailure(.failed, "the stand-in for \(file) cannot be made: \(reason)")
    }
    return (folder.propertyList, definitions.filter { $0.key != BuildVariableName.entitlements })
  }

  /// Removes the copy that `add --stub` made for an application.
  func removeStandIn(of identifier: String) {
    guard let identifier = BundleIdentifier(identifier) else { return }
    try? FileManager.default.removeItem(atPath: standInFolder(of: identifier).path)
  }

  private func standInFolder(of identifier: BundleIdentifier) -> StandInFolder {
    var variables: [String: String] = [:]
    for name in ["HOME", "XDG_STATE_HOME"] { variables[name] = environment(name) }
    return StandInFolder(
      of: identifier, in: UserFolders(environment: variables).stateHome + "/launch-services")
  }

  /// The path of the program of stand-ins.
  private func standIn() throws(CommandFailure) -> String {
    let own = InstalledFolder.programs ?? "/usr/bin"
    let folders =
      [environment("LAUNCH_SERVICES_PROGRAMS")].compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
      + [own, own + "/../libexec/launch-services"]
    let program = folders.map {
      FilePath.absolute($0, from: folder) + "/" + StubPropertyList.program
    }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let program else {
      throw CommandFailure(
        .failed,
        "the program \(StubPropertyList.program) is not installed; it belongs to the test kit, the package"
          + " launch-services-test")
    }
    return program
  }
}
