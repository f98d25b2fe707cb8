internal import Commands
internal import Glibc
internal import Host
internal import LaunchRules

/// The processes of this user, compared with the program of a desktop entry.
enum RunningProgram {
  /// The beginning of a command line that is compared, in bytes.
  private static let mostBytes = 4096

  /// The processes that run the program, without those whose parent is one of them.
  /// - Parameter words: the words of `Exec` up to the first field code.
  static func processes(_ words: [String]) -> [ProcessDetails] {
    let all = ProcessDetails.ofThisUser().filter { process in
      process.pid != getpid() && !process.hasEnded
        && commandLines(of: process).contains { StartedProgramRule.isRun(words, by: $0) }
    }
    let numbers = Set(all.map(\.pid))
    return all.filter { !numbers.contains($0.parent) }
  }

  /// Whether the process runs the program, and is not in a sandbox or container.
  static func isRun(_ words: [String], by process: ProcessDetails) -> Bool {
    guard process.otherNamespaces(among: Outsider.namespaces).isEmpty,
      process.user == geteuid(), let program = program(words),
      let executable = process.executable
    else { return false }
    var commandLine = commandLine(of: process.pid)
    // The script of an interpreter, by the path with which it was started.
    if let script = commandLine.indices.dropFirst().first(where: { !commandLine[$0].hasPrefix("-") }
    ),
      commandLine[script].hasPrefix("/")
    {
      commandLine[script] = SymbolicLink.resolved(commandLine[script]) ?? commandLine[script]
    }
    return StartedProgramRule.isRun(program, by: executable.path, commandLine)
  }

  /// How a process relates to the programs by which an application is started.
  static func relation(
    of process: ProcessDetails, to programs: [[String]]
  ) -> ReceivingProcessRule.Program {
    programs.contains { isRun($0, by: process) } ? .run : .other
  }

  /// Whether the program is a shell, or a script that a shell runs.
  static func isShellScript(_ words: [String]) -> Bool {
    guard let path = program(words)?.path,
      let beginning = try? RegularFile.beginning(of: path, atMost: 256)
    else { return false }
    let firstLine = String(decoding: beginning.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return StartedProgramRule.isShellScript(firstLine)
      || StartedProgramRule.isShell(StartedProgramRule.withoutVariables(words))
  }

  /// Nil when there is no such program.
  private static func program(_ words: [String]) -> StartedProgramRule.Program? {
    guard let name = StartedProgramRule.withoutVariables(words).first else { return nil }
    let search = ProcessArguments.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    let places =
      name.contains("/") ? [name] : search.split(separator: ":").map { "\($0)/\(name)" }
    guard let place = places.first(where: { FileIdentity(path: $0) != nil }),
      let file = SymbolicLink.resolved(place),
      let beginning = try? RegularFile.beginning(of: file, atMost: 2)
    else { return nil }
    return StartedProgramRule.Program(
      path: file, isScript: beginning == Array("#!".utf8), words: words)
  }

  /// The command line, and one of the executable alone: Chromium writes its command line as one text.
  private static func commandLines(of process: ProcessDetails) -> [[String]] {
    [commandLine(of: process.pid)] + (process.executable.map { [[$0.path]] } ?? [])
  }

  static func commandLine(of pid: Int32) -> [String] {
    guard let bytes = try? RegularFile.read("/proc/\(pid)/cmdline", atMost: mostBytes).bytes else {
      return []
    }
    return bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

extension ProcessDetails {
  /// Whether this process still runs.
  var isRunning: Bool {
    ProcessDetails(of: pid).map { $0.startTime == startTime && !$0.hasEnded } ?? false
  }
}
