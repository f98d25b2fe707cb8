internal import FoundationEssentials
internal import Glibc
internal import LaunchRules

/// The environment of this program, which opens the URLs of steps. The daemon of a world reads of its opener what the
/// kernel has kept of the start: a display, to which it would send applications, and signs of a browser.
enum OpenerEnvironment {
  /// Starts this program again in its process when its environment names such a variable.
  static func clear() {
    let found = CallerVariables.names.filter { unsafe getenv($0) != nil }
    guard !found.isEmpty,
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    else { return }
    for name in found { unsafe unsetenv(name) }
    // It goes on here when it cannot be started.
    unsafe execv(program, CommandLine.unsafeArgv)
  }
}
