import Foundation
import LaunchServicesTesting
import Testing

/// A daemon on the far machine, with a bus, and an application of the desktop there that writes URLs of the schemes
/// `photos` and `sms` to a file.
@MainActor final class FarDaemon {
  private let far: FarMachine
  private var running: (process: ObservedProcess, pid: pid_t)?

  private init(_ far: FarMachine) { self.far = far }

  /// - Parameter settings: the keys and values of the configuration file there; nil for none.
  @discardableResult static func start(
    on far: FarMachine, settings: String? = nil
  ) async throws -> FarDaemon {
    let files = FileManager.default
    for name in ["launchservicesd", "launchservices-processes", "launchservices-desktop"] {
      try files.copyItem(atPath: Fixture.program(name), toPath: "\(far.folder)/bin/\(name)")
    }
    try makeApplication(far)
    if let settings { try writeSettings(settings, far) }
    _ = try await far.startInside([
      "dbus-daemon", "--session", "--nofork", "--address=unix:path=\(far.runtimeFolder)/bus",
    ])
    try await waitUntil("the bus there") {
      files.fileExists(atPath: far.runtimeFolder + "/bus")
    }
    let daemon = FarDaemon(far)
    try await daemon.start()
    // The applications of the desktop are read after the first start.
    for _ in 0..<50 {
      let explanation = try await far.ssh("lsopen --explain photos:1").lines
      if explanation.contains(where: { $0.contains("photos.desktop") }) { return daemon }
    }
    Issue.record("the daemon there does not know the application")
    return daemon
  }

  private static func makeApplication(_ far: FarMachine) throws {
    let program = far.folder + "/bin/photos"
    try "#!/bin/sh\necho \"$1\" >>\"$HOME/arrived\"\n".write(
      toFile: program, atomically: true, encoding: .utf8)
    try FarMachine.give(program, mode: 0o755)
    let applications = far.home + "/.local/share/applications"
    try FileManager.default.createDirectory(
      atPath: applications, withIntermediateDirectories: true)
    try """
    [Desktop Entry]
    Type=Application
    Name=Photos
    Exec=\(program) %u
    MimeType=x-scheme-handler/photos;x-scheme-handler/sms;

    """.write(toFile: applications + "/photos.desktop", atomically: true, encoding: .utf8)
    // GIO finds handlers in this cache, which update-desktop-database makes.
    try
      "[MIME Cache]\nx-scheme-handler/photos=photos.desktop;\nx-scheme-handler/sms=photos.desktop;\n"
      .write(toFile: applications + "/mimeinfo.cache", atomically: true, encoding: .utf8)
    for folder in ["/.local", "/.local/share", "/.local/share/applications"] {
      try FarMachine.give(far.home + folder, mode: 0o755)
    }
  }

  private static func writeSettings(_ xml: String, _ far: FarMachine) throws {
    let folder = far.home + "/.config/launch-services"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/config.plist"
    try "<plist version=\"1.0\"><dict>\(xml)</dict></plist>"
      .write(toFile: path, atomically: true, encoding: .utf8)
    for path in [far.home + "/.config", folder, path] { try FarMachine.give(path, mode: 0o755) }
  }

  func start() async throws {
    let daemon = try await far.startInside([
      "XDG_DATA_DIRS=\(far.folder)/none", "launchservicesd", "--fetch-associations", "no",
    ])
    running = daemon
    try await daemon.process.line(containing: "ready ")
  }

  /// Ends the daemon at once, without its knowledge.
  func kill() async throws {
    let (process, pid) = try #require(running)
    running = nil
    Glibc.kill(pid, SIGKILL)
    _ = try await process.hasEnded()
  }
}

extension FarMachine {
  /// The URLs that have arrived at the application there, in order.
  var arrived: [String] {
    let text = try? String(contentsOfFile: home + "/arrived", encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }
}
