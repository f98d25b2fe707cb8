internal import Glibc
internal import Host
internal import LaunchRules

/// The processes of this user, compared with the program of a desktop entry.
enum RunningProgram {
  /// The beginning of a command line that is compared, in bytes.
  private static let mostBytes = 4096

  /// Whether a process runs the program.
  /// - Parameter words: the words of `Exec` up to the first field code.
  static func exists(_ words: [String]) -> Bool {
    ProcessDetails.ofThisUser().contains { process in
      process.pid != getpid() && StartedProgramRule.isRun(words, by: commandLine(of: process.pid))
    }
  }

  private static func commandLine(of pid: Int32) -> [String] {
    guard let bytes = try? RegularFile.read("/proc/\(pid)/cmdline", atMost: mostBytes).bytes else {
      return []
    }
    return bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
