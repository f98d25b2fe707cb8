import Foundation
import Glibc
import Host
import LaunchServicesTesting
import Testing

/// The limit of processes of a user, RLIMIT_NPROC, which does not count for root.
@MainActor @Suite("Attack: a user has no process left", .timeLimit(.minutes(30)))
struct AttackProcessLimitTests {
  /// The words before a command of another user than root.
  private nonisolated static let asUser =
    getuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []

  /// Whether that user may run the programs of this build.
  private nonisolated static let mayRun: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    guard let lstest = try? Programs.find("lstest") else { return false }
    process.arguments = asUser + [lstest, "--help"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  private static let scenario = """
    {"applications": [
      {"plist": {"CFBundleIdentifier": "com.example.one",
        "CFBundleURLTypes": [{"CFBundleURLSchemes": ["one"]}]}},
      {"plist": {"CFBundleIdentifier": "com.example.two",
        "CFBundleURLTypes": [{"CFBundleURLSchemes": ["two"]}]}}
    ]}
    """

  /// Takes all processes from the daemon, and gives them back.
  private static let script = """
    lsopen one:1; echo "one:1 ends with $?"
    daemon=$(dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus /org/freedesktop/DBus \\
      org.freedesktop.DBus.GetConnectionUnixProcessID string:org.launchservices.LaunchServices1)
    prlimit --pid ${daemon##* } --nproc=1:
    lsopen two:1 2>refusal; echo "two:1 ends with $?"
    grep -o 'this user has as many processes and threads as allowed (RLIMIT_NPROC' refusal
    lsopen one:2; echo "one:2 ends with $?"
    prlimit --pid ${daemon##* } --nproc=60000:
    lsopen two:2; echo "two:2 ends with $?"

    """

  @Test(
    "an open that needs a process says so, what runs goes on, and the next open starts its application",
    .enabled(if: mayRun, "needs util-linux, and a build that another user than root can read"))
  func noProcessLeft() async throws {
    let folder = "/tmp/lstest-" + UUID().uuidString.prefix(8)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o777])
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    for (name, text) in [("world.json", Self.scenario), ("script", Self.script)] {
      try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    }
    var variables = ProcessInfo.processInfo.environment
    variables["XDG_RUNTIME_DIR"] = nil
    variables.merge(["HOME": folder, "TMPDIR": folder]) { $1 }
    let shell = try ObservedProcess(
      Launch(
        executable: "/usr/bin/env",
        arguments: Self.asUser + [
          try Programs.find("lstest"), "shell", "world.json", "--", "bash", "script",
        ],
        environment: variables, workingDirectory: folder))
    #expect(try await shell.hasEnded() == "exited with code 0")
    #expect(
      shell.lines.filter { !$0.hasPrefix("com.example.") } == [
        "one:1 ends with 0", "two:1 ends with 4",
        "this user has as many processes and threads as allowed (RLIMIT_NPROC",
        "one:2 ends with 0", "two:2 ends with 0",
      ])
    #expect(
      shell.lines.filter { $0.contains("openURL") } == [
        "com.example.one application:openURL one:1", "com.example.one application:openURL one:2",
        "com.example.two application:openURL two:2",
      ])
  }
}
