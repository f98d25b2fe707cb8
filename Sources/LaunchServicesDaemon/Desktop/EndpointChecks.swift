internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Asks the program that passes URLs on whether another process has taken the place of an application, for explanations. The
/// program decides by the same rule as for an open.
final class EndpointChecks {
  private let program: DesktopProgram
  private let journal: Journal
  /// The numbers of the processes that run.
  private var processes: Set<Int32> = []
  private var underWay = 0

  /// Maximum number of concurrent processes. Further explanations say nothing about endpoints.
  private static let most = 4
  /// A process that runs longer is killed.
  private static let patience: Duration = .seconds(5)
  private static let longestAnswer = 4096

  init(_ program: DesktopProgram, _ journal: Journal) {
    self.program = program
    self.journal = journal
  }

  func isTool(_ pid: Int32) -> Bool { processes.contains(pid) }

  /// The failure of an open at this time; nil when there is none, or when it is unknown.
  func objection(to application: InstalledApplication) async -> String? {
    guard application.isStartedByBridge,
      case .arguments(let arguments) = application.declaration.program, underWay < Self.most,
      let answer = MemoryFile(),
      let launch = program.launch(["endpoint"] + arguments.dropFirst(), output: answer)
    else { return nil }
    underWay += 1
    defer { underWay -= 1 }
    guard await run(launch) == .exited(code: 0) else { return nil }
    let line = answer.text(atMost: Self.longestAnswer).prefix { $0 != "\n" }
    return line.isEmpty ? nil : String(line)
  }

  private func run(_ launch: Launch) async -> ProcessEnd? {
    var process: Int32?
    defer { if let process { processes.remove(process) } }
    do throws(SpawnError) {
      return try await ChildProcess.run(launch, atMost: Self.patience) { [weak self] in
        process = $0
        self?.processes.insert($0)
      }
    } catch {
      journal.info("the process of an application cannot be checked", ["reason": error.description])
      return nil
    }
  }
}
