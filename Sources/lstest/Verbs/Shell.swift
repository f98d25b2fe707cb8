internal import Commands
internal import Glibc
internal import Host
internal import LaunchServicesTesting
internal import Reports
internal import StubApplications

/// `lstest shell`.
extension TestCommand {
  /// Returns the status of the command.
  func shell(
    _ arguments: [String], _ words: [String], _ invocation: TestInvocation
  ) async throws(CommandFailure) -> Int32 {
    let files = arguments.isEmpty ? [] : try ScenarioFiles(folder: folder).find(arguments)
    let reader = ScenarioReader(definitions: invocation.definitions, folder: folder)
    var whole = Scenario(name: "shell", file: "", folder: folder)
    do {
      for file in files {
        let scenario = try reader.read(file)
        whole.applications += scenario.applications
        whole.sites += scenario.sites
        whole.settings.merge(scenario.settings) { $1 }
      }
      var status: Int32 = 0
      try await World.run(
        whole, hasBus: hasBus(invocation),
        keep: invocation.keeps
          ? { [output] in output.complain("its files are kept in \($0)") } : nil,
        shown: reader.shown
      ) { world in
        status = try await run(words, in: world)
      }
      return status
    } catch let problems as ScenarioProblems {
      for problem in problems.list {
        output.complain("\(problem.place.description): \(problem.message)")
      }
      return TestStatus.invalidScenario.rawValue
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      // The signal has ended the world.
      if let signal = Interruption.shared.signal { return Interruption.status(signal) }
      throw CommandFailure(.failed, FileProblem(error)?.description ?? "\(error)")
    }
  }

  private func run(_ words: [String], in world: World) async throws -> Int32 {
    var environment = world.testbed.environment
    for name in ["TERM", "COLORTERM", "LANG", "LC_ALL", "SHELL", "USER", "LOGNAME"] {
      if let value = ProcessArguments.environment(name) { environment[name] = value }
    }
    let daemon = try Programs.find("launchservicesd")
    let programs = daemon.split(separator: "/").dropLast().joined(separator: "/")
    environment["PATH"] = "/\(programs):\(environment["PATH"] ?? "/usr/bin:/bin")"
    environment[Programs.variable] = "/\(programs)"
    let shell = ProcessArguments.environment("SHELL") ?? "/bin/sh"
    let words = words.isEmpty ? [shell] : words
    let isForPeople = isatty(STDERR_FILENO) == 1 && words == [shell]
    if isForPeople {
      let names = world.applications.map(\.identifier).joined(separator: ", ")
      output.printError([
        "A world of its own" + (names.isEmpty ? "" : " with \(names)")
          + ": lsopen and lsregister reach its daemon. End it with exit."
      ])
    }
    guard let program = Self.find(words[0], in: environment["PATH"] ?? "") else {
      throw CommandFailure(.failed, "the program \(words[0]) was not found")
    }
    var launch = Launch(
      executable: program, arguments: Array(words.dropFirst()), environment: environment,
      workingDirectory: folder, standardInput: .inherited)
    // The program may have the terminal.
    launch.staysInSession = true
    if let signal = Interruption.shared.signal { return Interruption.status(signal) }
    let terminal = Terminal()
    var ended: ProcessEnd?
    let process = try ChildProcess(launch) { ended = $0 }
    terminal?.give(to: process)
    defer { terminal?.takeBack() }
    var limit: Deadline?
    Interruption.shared.onSignal = { signal in
      process.signalGroup(signal)
      // A program may go on after SIGINT and SIGQUIT, as at a terminal.
      guard [SIGTERM, SIGHUP].contains(signal), limit == nil else { return }
      limit = Deadline(after: Self.patience) { process.signalGroup(SIGKILL) }
    }
    while ended == nil {
      terminal?.stopAlong(process)
      for event in world.takeEvents() { output.printError([event.sentence]) }
      try await Task.sleep(for: .milliseconds(50))
    }
    limit?.cancel()
    for event in world.takeEvents() { output.printError([event.sentence]) }
    return ended?.shellStatus ?? 0
  }

  /// How long a program may take to end after a stop signal.
  private static let patience = Duration.seconds(5)

  private static func find(_ name: String, in path: String) -> String? {
    let places = name.contains("/") ? [name] : path.split(separator: ":").map { "\($0)/\(name)" }
    return places.first { unsafe access($0, X_OK) == 0 && !ScenarioFiles.isFolder($0) }
  }
}

extension ProcessEnd {
  /// The status that a shell gives a program that ended so.
  var shellStatus: Int32 {
    switch self {
    case .exited(let code): code
    case .signalled(let number): 128 + number
    case .unknown: TestStatus.unable.rawValue
    }
  }
}
