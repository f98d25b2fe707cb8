internal import BusContract
internal import Commands
internal import DesktopEntries
internal import Host
internal import LaunchRules

/// The programs that this process has started, and what their ends say about the URLs that they got. See
/// `StartedProgramRule`.
final class StartedPrograms {
  typealias Completion = DesktopOpener.Completion
  typealias Surroundings = DesktopOpener.Surroundings

  private let running: RunningApplications
  /// The programs that run, by process ID. This process reaps them.
  private var programs: [Int32: (application: String, exit: ExitWatch)] = [:]
  /// The programs whose end still decides about their URLs, by process ID.
  private var observed: [Int32: (Deadline, Completion)] = [:]
  /// The applications of which a second process did not end soon, so that it forwards nothing.
  private var staying: Set<String> = []
  /// Environment variables that other programs must not receive.
  private static let secrets = [Contract.tokenVariable, Contract.identifierVariable]

  init(_ running: RunningApplications) { self.running = running }

  /// Starts an application. `completion` is called once, when its end, its readiness or the time says what has become of the
  /// URLs.
  func start(
    _ application: DesktopApplication, _ urls: [String], _ surroundings: Surroundings,
    _ completion: @escaping Completion
  ) throws(DesktopFailure) {
    let name = application.identifier
    try check(application, takes: urls)
    let before = processes(of: application)
    let pid: Int32
    do throws(DesktopFailure) {
      pid = try application.start(
        urls, token: surroundings.token, setting: surroundings.environment(opening: urls.first),
        hiding: Self.secrets)
    } catch {
      let advice =
        application.runsInTerminal
        ? "; it needs a terminal emulator, such as xterm: install one, or open the application in a terminal"
        : ""
      throw DesktopFailure("\(name) could not be started: \(error)\(advice)")
    }
    let program = StartedProgram(
      application: name, words: application.programWords, pid: pid, before: before,
      // A second process of an application that the bus starts ends with the status that the first returns.
      handOver: application.activationName == nil
        ? running.entry(for: name)?.handOver : .gtkCommandLine,
      isShellScript: !urls.isEmpty && RunningProgram.isShellScript(application.programWords),
      hasDisplay: CallerVariables.namesDisplay(surroundings.variables)
        || CallerVariables.namesDisplay(Self.ownDisplay))
    observe(program, application, surroundings, completion)
    if !program.ranBefore, urls.count <= 1 {
      awaitReadiness(of: application, pid, surroundings)
    }
  }

  /// - Throws: the reason why `Exec` would start the program without the URLs.
  private func check(
    _ application: DesktopApplication, takes urls: [String]
  ) throws(DesktopFailure) {
    guard !urls.isEmpty, !application.execTakesURIs else { return }
    guard urls.allSatisfy(DocumentURL.isOne) else {
      throw DesktopFailure(ExecValue.refusal(of: application.identifier, in: application.file))
    }
    guard application.execTakesFiles else {
      throw DesktopFailure(
        ExecValue.refusalOfFiles(of: application.identifier, in: application.file))
    }
  }

  /// The processes of the application that run.
  private func processes(of application: DesktopApplication) -> [ProcessDetails] {
    let found = RunningProgram.processes(application.programWords)
    guard found.isEmpty else { return found }
    // An interpreter may have executed another program in its place.
    return programs.filter { $0.value.application == application.identifier }.keys
      .compactMap { ProcessDetails(of: $0) }.filter { !$0.hasEnded }
  }

  private func observe(
    _ program: StartedProgram, _ application: DesktopApplication, _ surroundings: Surroundings,
    _ completion: @escaping Completion
  ) {
    let pid = program.pid
    let patience = StartedProgramRule.patience(
      ranBefore: program.ranBefore && !staying.contains(program.application))
    let deadline = Deadline(after: patience) { [weak self] in self?.stays(program, application) }
    observed[pid] = (deadline, completion)
    let start = ContinuousClock.now
    do throws(Errno) {
      let exit = try ExitWatch(pid: pid) { [weak self] end in
        let last = self?.programs.removeValue(forKey: pid)?.exit.lastName
        if let (_, completion) = self?.observed.removeValue(forKey: pid) {
          completion(program.result(end, executing: last))
        } else if !program.ranBefore,
          start.duration(to: .now) < StartedProgramRule.timeToReady, let failure = end.failure
        {
          surroundings.onFailure?(failure)
        }
      }
      programs[pid] = (program.application, exit)
    } catch {
      // The program runs, but its exit status cannot be observed.
      observed.removeValue(forKey: pid)?.1(program.result())
    }
  }

  /// The program did not end in the time in which a second process forwards its URL.
  private func stays(_ program: StartedProgram, _ application: DesktopApplication) {
    guard program.ranBefore else {
      observed.removeValue(forKey: program.pid)?.1(program.result())
      return
    }
    staying.insert(program.application)
    Task {
      let receiver = await running.receiver(of: program.pid, application, program.before)
      let forwarded = receiver.map {
        StartedProgramRule.forwarded(to: .init(pid: $0.pid, startTime: $0.startTime))
      }
      observed.removeValue(forKey: program.pid)?.1(
        forwarded.map { .success($0) } ?? program.result())
    }
  }

  /// The variables of this process that name a display.
  private static var ownDisplay: [String: String] {
    var display: [String: String] = [:]
    for name in CallerVariables.displayNames { display[name] = ProcessArguments.environment(name) }
    return display
  }

  /// Waits until an application that was started with a URL takes part in its protocol: then more is known of the URL than that
  /// the program runs.
  private func awaitReadiness(
    of application: DesktopApplication, _ pid: Int32, _ surroundings: Surroundings
  ) {
    Task {
      guard await running.isReady(application, within: StartedProgramRule.timeToReady),
        programs[pid] != nil
      else { return }
      let ready = StartedProgramRule.ready(pid)
      guard let (_, completion) = observed.removeValue(forKey: pid) else {
        surroundings.onReady?(ready)
        return
      }
      completion(.success(ready))
    }
  }
}

/// A program that this process has started, and what the rule needs to know of it.
private struct StartedProgram {
  /// The desktop ID of the application.
  var application: String
  /// The words of `Exec` before the first field code.
  var words: [String]
  var pid: Int32
  /// The processes of the application that ran before.
  var before: [ProcessDetails]
  /// The protocol of the application; nil when none is known.
  var handOver: HandOverProtocol?
  /// Whether the program is a script that got URLs.
  var isShellScript: Bool
  /// Whether the program has got a display.
  var hasDisplay: Bool

  var ranBefore: Bool { !before.isEmpty }

  /// - Parameters:
  ///   - end: nil while the program runs, or when its end cannot be observed.
  ///   - last: the name of the program that the process executed last.
  func result(
    _ end: ProcessEnd? = nil, executing last: String? = nil
  ) -> Result<HandOver, DesktopFailure> {
    var status: Int32?
    if let end {
      guard case .exited(let code) = end else { return failure("\(end)") }
      status = code
    }
    let owner = before.count == 1 ? before.first : nil
    let handOver = StartedProgramRule.handOver(
      status: status, ranBefore: ranBefore,
      owner: owner.map { .init(pid: $0.pid, startTime: $0.startTime) }, process: pid,
      of: handOver,
      isShellScript: isShellScript
        && StartedProgramRule.isNamed(last, afterProgramOf: words))
    return handOver.map { .success($0) } ?? failure(end.map { "\($0)" } ?? "ended")
  }

  private func failure(_ end: String) -> Result<HandOver, DesktopFailure> {
    .failure(
      DesktopFailure(StartedProgramRule.failure(of: application, end, hasDisplay: hasDisplay)))
  }
}

extension ProcessEnd {
  /// Nil for a program that ended with status 0, or in an unknown way.
  fileprivate var failure: HandOver.Failure? {
    switch self {
    case .exited(let code): HandOver.Failure(status: Int64(code), signal: nil)
    case .signalled(let number): HandOver.Failure(status: nil, signal: Int64(number))
    case .unknown: nil
    }
  }
}
