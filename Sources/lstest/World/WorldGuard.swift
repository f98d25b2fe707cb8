internal import Commands
internal import Events
internal import FoundationEssentials
internal import Glibc
internal import LaunchServicesTesting

/// The mode in which this program guards the world of another process of it: when that one is killed, it ends the
/// processes of the world, and removes its folder.
enum WorldGuard {
  /// The hidden first argument. The folder follows it.
  private static let argument = "--guard-of-world"

  /// Starts this mode.
  static func command() throws -> TestbedGuardCommand {
    TestbedGuardCommand(
      executable: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
      arguments: [argument],
      environment: ProcessInfo.processInfo.environment.filter { name, _ in
        name == "LD_LIBRARY_PATH" || name == "LLVM_PROFILE_FILE" || name.hasSuffix("SAN_OPTIONS")
      })
  }

  /// The folder of the world when this process is a guard.
  static var folder: String? {
    guard let arguments = try? ProcessArguments.all(), arguments.count == 2,
      arguments[0] == argument
    else { return nil }
    return arguments[1]
  }

  static func main(_ folder: String) -> Never {
    guard TestbedGuardCommand.isNeeded() else { exit(0) }
    Task {
      await TestbedGuardCommand.clear(folder)
      exit(0)
    }
    MainLoop.run()
  }
}
