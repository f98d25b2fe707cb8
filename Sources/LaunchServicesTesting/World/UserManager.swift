internal import FoundationEssentials
internal import Glibc
internal import Host

/// A private `systemd --user` of the test, on the test's bus and in its own control group.
@MainActor final class UserManager {
  let process: ObservedProcess
  private let group: String

  private static let program = "/lib/systemd/systemd"

  /// The control group in which groups can be made; set by `Tests/with-systemd-user`.
  private static var parent: String? {
    ProcessInfo.processInfo.environment["LAUNCH_SERVICES_CONTROL_GROUP"]
  }

  /// The reason why a user manager is not possible; nil if it is.
  nonisolated static var problem: String? {
    guard FileManager.default.isExecutableFile(atPath: "/lib/systemd/systemd") else {
      return "install the package systemd"
    }
    guard
      let parent = ProcessInfo.processInfo.environment["LAUNCH_SERVICES_CONTROL_GROUP"],
      FileManager.default.isWritableFile(atPath: parent)
    else { return "run Tests/with-systemd-user swift test" }
    return nil
  }

  /// - Parameter environment: contains the address of the bus.
  init(_ folders: TestbedFolders, environment: [String: String]) throws {
    guard let parent = Self.parent else {
      throw TestbedFailure("there can be no user manager: \(Self.problem ?? "")")
    }
    try Self.writeUnits(in: folders.configHome + "/systemd/user")
    group = parent + "/" + (folders.root.split(separator: "/").last.map(String.init) ?? "testbed")
    try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
    process = try ObservedProcess(
      Launch(
        executable: "/bin/sh",
        arguments: [
          "-c", "echo 0 >\"$0/cgroup.procs\" && exec \(Self.program) --user", group,
        ],
        environment: environment))
  }

  /// The units keep the manager from starting units of the machine. The manager uses the bus while
  /// `dbus.service` runs.
  private static func writeUnits(in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let units = [
      "default.target": "[Unit]\nDefaultDependencies=no\nWants=dbus.service\n",
      "dbus.socket": "[Unit]\nDefaultDependencies=no\n[Socket]\nListenStream=%t/unused\n",
      "dbus.service": "[Unit]\nDefaultDependencies=no\nRequires=dbus.socket\nAfter=dbus.socket\n"
        + "[Service]\nExecStart=/bin/sleep infinity\n",
    ]
    for (name, text) in units {
      try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }
  }

  /// Kills the manager like a crash, so that its units keep running.
  func kill() async {
    await process.kill()
  }

  /// Removes the control groups, which must be empty.
  func removeGroups() {
    let below = (try? FileManager.default.subpathsOfDirectory(atPath: group)) ?? []
    for name in below.sorted(by: >) { unsafe rmdir("\(group)/\(name)") }
    unsafe rmdir(group)
  }
}
