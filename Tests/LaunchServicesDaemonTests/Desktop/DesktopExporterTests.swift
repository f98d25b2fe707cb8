import Foundation
import Host
import ProcessSupervision
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("The export to the desktop", .timeLimit(.minutes(30)))
struct DesktopExporterTests {
  @Test("The choice is stored, and is there for the next daemon") func stored() throws {
    let world = try ExporterWorld()
    #expect(!world.exporter().isOn)
    let exporter = world.exporter()
    try exporter.turn(true)
    #expect(exporter.isOn)
    #expect(world.exporter().isOn)
    try FileManager.default.removeItem(atPath: world.file)
    try exporter.storeAgain()
    #expect(world.exporter().isOn)
    try exporter.turn(false)
    #expect(!world.exporter().isOn)
  }

  @Test("A choice that cannot be stored does not count") func notStored() throws {
    let world = try ExporterWorld()
    let exporter = world.exporter()
    // A folder is in the place of the file.
    try FileManager.default.createDirectory(
      atPath: world.file + "/a", withIntermediateDirectories: true)
    #expect(throws: FileError.self) { try exporter.turn(true) }
    #expect(!exporter.isOn)
    #expect(throws: FileError.self) { try exporter.storeAgain() }
  }

  @Test("The program runs after a change, once for several, and is a tool of the daemon")
  func runs()
    async throws
  {
    let world = try ExporterWorld()
    let exporter = world.exporter()
    exporter.start()
    // The export is off: a change starts nothing.
    exporter.registryChanged()
    try exporter.turn(true)
    for _ in 1...3 { exporter.registryChanged() }
    // The program finds no bus here, and the log says how it ended.
    let line = try await world.log.lines.next()
    #expect(line.contains("the desktop entries may be out of date"))
    #expect(!exporter.isTool(getpid()))
    try exporter.turn(false)
  }
}

/// A folder for the state and a log that the test reads.
@MainActor final class ExporterWorld {
  let folder = StateFolder.root + "/exporter-" + UUID().uuidString
  let log = CapturedLog("exporter-tests")

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/state", withIntermediateDirectories: true)
  }

  isolated deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  var file: String { folder + "/state/desktop.plist" }

  func exporter() -> DesktopExporter {
    let environment = ["PATH": "/usr/bin:/bin", "HOME": folder, "XDG_DATA_DIRS": folder + "/data"]
    return DesktopExporter(
      StateFile(path: file), DesktopProgram(HandlerEnvironment(inheriting: environment)),
      UserFolders(environment: environment), log.journal)
  }
}
