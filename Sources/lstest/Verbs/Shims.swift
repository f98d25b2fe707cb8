internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchServicesTesting

/// `lstest shims`.
extension TestCommand {
  /// The names by which scripts call `launchservices-simulator`.
  private static let shims = ["xcrun", "adb"]

  /// The folder that a script puts into its `PATH`: the installed one, or one in the cache folder of the user, which is
  /// made here.
  func shimFolder() throws(CommandFailure) -> String {
    let installed = Programs().folders.map { "\($0)/shims" }.first { folder in
      Self.shims.allSatisfy { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
    }
    if let installed { return FilePath.absolute(installed, from: folder) }
    let program: String
    do {
      program = FilePath.absolute(try Programs.find("launchservices-simulator"), from: folder)
    } catch {
      throw CommandFailure(.failed, "\(error)")
    }
    let own =
      UserFolders(environment: ProcessInfo.processInfo.environment).cacheHome
      + "/launch-services/shims"
    do {
      try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
      for name in Self.shims { try link("\(own)/\(name)", to: program) }
    } catch {
      throw CommandFailure(.failed, "The folder \(own) cannot be made: \(error)")
    }
    return own
  }

  /// Replaces the link at once, for a script that runs at the same time.
  private func link(_ path: String, to program: String) throws {
    let files = FileManager.default
    guard (try? files.destinationOfSymbolicLink(atPath: path)) != program else { return }
    let new = "\(path).\(UUID().uuidString)"
    try files.createSymbolicLink(atPath: new, withDestinationPath: program)
    guard unsafe rename(new, path) == 0 else {
      let error = Errno(errno)
      try? files.removeItem(atPath: new)
      throw error
    }
  }
}
