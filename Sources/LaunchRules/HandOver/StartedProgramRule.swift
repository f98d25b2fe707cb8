/// What is known of a URL with which the program of a desktop entry was started.
///
/// A program that runs already is often started a second time only to forward the URL, and ends at once. Neither such a
/// program nor one that goes on running says what it does with the URL.
package enum StartedProgramRule {
  /// The time for which a program is observed that no process ran before. A program that runs then is not expected to
  /// end.
  static let firstMoment: Duration = .milliseconds(500)
  /// The time for which a program is observed that a process ran before: it is expected to forward the URL and to end.
  static let forwardingTime: Duration = .seconds(5)

  /// - Parameter ranBefore: whether a process ran the program before.
  package static func patience(ranBefore: Bool) -> Duration {
    ranBefore ? forwardingTime : firstMoment
  }

  /// The time after its start within which an application is expected to take its bus name, or to listen at its socket.
  static let readinessTime: Duration = .seconds(5)

  /// The time for which an application that was started with a URL is observed, until it takes part in its protocol.
  package static let timeToReady: Duration = .seconds(30)

  /// Whether an application that cannot be asked yet has just been started.
  /// - Parameter ages: the time since the start of each process of the application.
  package static func isStarting(_ ages: [Duration]) -> Bool {
    !ages.isEmpty && ages.allSatisfy { $0 < readinessTime }
  }

  /// What is known of a URL with which an application was started that takes part in its protocol since: it owns its bus name, or
  /// listens at its socket, so it has come as far as to take URLs.
  /// - Parameter process: the number of the process that was started, which still runs.
  package static func ready(_ process: Int32) -> HandOver {
    HandOver(.handedOver, by: .arguments, launch: .cold, process: process)
  }

  /// What is known of a URL with which a second process was started that goes on running after it has passed the URL on.
  /// - Parameter owner: the process that got the URL.
  package static func forwarded(to owner: HandOver.Owner) -> HandOver {
    HandOver(.handedOver, by: .arguments, launch: .warm, owner: owner)
  }

  /// Why an open fails whose program has ended without success.
  /// - Parameters:
  ///   - application: the identifier of the application.
  ///   - end: how the program ended, as a predicate.
  ///   - hasDisplay: whether the program was started with a display.
  package static func failure(of application: String, _ end: String, hasDisplay: Bool) -> String {
    let failure = "\(application) \(end)"
    guard !hasDisplay else { return failure }
    return failure
      + "; no display is known: neither the opener nor the service has DISPLAY or WAYLAND_DISPLAY; in a session with a"
      + " display run 'dbus-update-activation-environment --systemd \(CallerVariables.displayNames.joined(separator: " "))'"
      + " and restart launchservicesd; the log of launchservicesd has the output of the program"
  }

  /// What is known of a URL with which a program was started; nil when the program has not taken the URL.
  ///
  /// The process that ran before counts only for an application with a known protocol: the second process of such an
  /// application forwards the URL. Another program may have handled the URL itself, so only its own end counts.
  /// - Parameters:
  ///   - status: the exit status of the program when it ended while it was observed; nil while the program runs.
  ///   - ranBefore: whether a process ran the program before.
  ///   - owner: the only such process; nil when several did.
  ///   - process: the number of the process that was started.
  ///   - handOver: the protocol of the application, if one is known.
  ///   - isShellScript: whether the program was a script of a shell when it ended. Its status is that of the command that the
  ///     script happened to run last.
  package static func handOver(
    status: Int32?, ranBefore: Bool, owner: HandOver.Owner? = nil, process: Int32,
    of handOver: HandOverProtocol? = nil, isShellScript: Bool = false
  ) -> HandOver? {
    guard let status else {
      return HandOver(.unacknowledged, by: .arguments, launch: .cold, process: process)
    }
    let owner = handOver == nil ? nil : owner
    let taken = HandOver(
      .handedOver, by: .arguments, launch: ranBefore ? .warm : .cold,
      owner: ranBefore ? owner : nil, process: ranBefore ? owner?.pid ?? 0 : 0)
    guard status != 0 else { return taken }
    guard status < cannotRun, ranBefore || isShellScript && handOver == nil else { return nil }
    switch handOver?.verdict(onSecondProcess: status) {
    case .taken?: return taken
    case .refused?: return nil
    // A program that forwards may end with any status.
    default:
      var unknown = HandOver(
        .unacknowledged, by: .arguments, launch: ranBefore ? .warm : .cold, process: 0)
      unknown.exitStatus = status
      return unknown
    }
  }

  /// Whether the first line of a program says that a shell runs the program.
  package static func isShellScript(_ firstLine: String) -> Bool {
    guard firstLine.hasPrefix("#!") else { return false }
    return isShell(
      withoutVariables(
        firstLine.dropFirst(2).split { $0 == " " || $0 == "\t" }.map(String.init)
          .filter { $0 != "-S" }))
  }

  /// Whether a process still executed the program of these words, or the script, and no program in its place.
  /// - Parameter last: the name that the kernel gave to the process, of at most 15 bytes.
  package static func isNamed(_ last: String?, afterProgramOf words: [String]) -> Bool {
    guard let last, let program = withoutVariables(words).first.map(name) else { return false }
    return Array(last.utf8) == Array(program.utf8.prefix(15))
  }

  /// Whether the program of these words is a shell.
  package static func isShell(_ words: [String]) -> Bool {
    words.first.map {
      ["ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"].contains(name($0))
    }
      ?? false
  }

  /// The lowest status with which shells report that a program could not be run, or was ended by a signal.
  private static let cannotRun: Int32 = 126

  /// The program of a desktop entry, as it is on disk.
  package struct Program: Hashable, Sendable {
    /// Absolute path without symbolic links.
    package var path: String
    /// Whether the file is a script, which an interpreter runs.
    package var isScript: Bool
    /// The words of `Exec` after the program, up to the first option or field code.
    package var arguments: [String]

    package init(path: String, isScript: Bool, words: [String]) {
      (self.path, self.isScript) = (path, isScript)
      arguments = Array(
        StartedProgramRule.withoutVariables(words).dropFirst().prefix { !$0.hasPrefix("-") })
    }
  }

  /// Whether a process that owns an endpoint of an application is a process of its program, which also a user may have
  /// started with other options. Any program may own any free name, so the executable has to be the program: the same
  /// file, the file `.NAME-wrapped` beside it, or, for a script, a file that the script starts: one of the same name in the
  /// same installation, possibly with the ending `.bin`, or one beside the script in a folder of its own.
  /// - Parameters:
  ///   - executable: absolute path of the executable, from the kernel.
  ///   - commandLine: the arguments of the process, which the process may have changed. An interpreter has the absolute path
  ///     of the script, without symbolic links.
  package static func isRun(
    _ program: Program, by executable: String, _ commandLine: [String]
  ) -> Bool {
    if executable == program.path {
      return commandLine.dropFirst().starts(with: program.arguments)
    }
    let ownName = name(program.path)
    if executable == folder(of: program.path) + ".\(ownName)-wrapped" { return true }
    guard program.isScript else { return false }
    let isOfInstallation =
      [ownName, ownName + ".bin"].contains(name(executable))
      && executable.hasPrefix(installation(of: program.path))
    let isBeside =
      !isInFolderOfPrograms(program.path) && folder(of: executable) == folder(of: program.path)
    return isOfInstallation || isBeside
      || commandLine.dropFirst().drop { $0.hasPrefix("-") }
        .starts(with: [program.path] + program.arguments)
  }

  /// The folder that contains the folder of programs; the folder of the program when it is in no `bin`.
  private static func installation(of path: String) -> String {
    isInFolderOfPrograms(path) ? folder(of: String(folder(of: path).dropLast())) : folder(of: path)
  }

  private static func isInFolderOfPrograms(_ path: String) -> Bool {
    ["bin", "sbin", "games"].contains(path.split(separator: "/").dropLast().last)
  }

  /// With a slash at the end.
  private static func folder(of path: String) -> String {
    "/" + path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
  }

  /// Whether a process runs the program of a desktop entry.
  /// - Parameters:
  ///   - words: the words of `Exec` up to the first field code.
  ///   - commandLine: the arguments of the process, of which the first may be an interpreter.
  package static func isRun(_ words: [String], by commandLine: [String]) -> Bool {
    let words = withoutVariables(words)
    guard let program = words.first.map(name), !program.isEmpty else { return false }
    return [0, 1].contains { start in
      let arguments = commandLine.dropFirst(start)
      guard let first = arguments.first, name(first) == program else { return false }
      return arguments.dropFirst().starts(with: words.dropFirst())
    }
  }

  /// The words after `env` and its assignments, because env(1) runs the program in its own process.
  package static func withoutVariables(_ words: [String]) -> [String] {
    guard let first = words.first, name(first) == "env" else { return words }
    return Array(words.dropFirst().drop { $0.contains("=") })
  }

  /// Whether env(1) sets a variable that chooses the folders, the bus or the profile of the program, so another instance.
  static func choosesInstance(_ words: [String]) -> Bool {
    let variables = words.prefix(words.count - withoutVariables(words).count).dropFirst()
    return variables.contains { variable in
      variable.hasPrefix("-")
        || ["HOME", "XDG_", "DBUS_", "TMP", "MOZ_", "CHROM", "SNAP", "PATH", "USER"].contains(
          where: variable.hasPrefix)
    }
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }
}
