internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Asks shared-mime-info what files are whose names do not say it. GIO reads that, and stays out of the daemon:
/// another program does the work, and may look into the files.
final class DesktopMIMETypes {
  private let environment: HandlerEnvironment
  private let journal: Journal
  private var underWay = 0

  /// Processes at once; what comes meanwhile is not asked about.
  private static let most = 4
  /// A process that takes longer is ended.
  private static let patience: Duration = .seconds(3)
  private static let longestAnswer = 1 << 20

  init(_ environment: HandlerEnvironment, _ journal: Journal) {
    self.environment = environment
    self.journal = journal
  }

  /// One for each `file:` URL; nil where nobody knows.
  func ask(_ urls: [String]) async -> [String?] {
    let nothing = urls.map { _ in String?.none }
    guard !urls.isEmpty, underWay < Self.most,
      let program = ProgramLookup.find(DesktopBridge.program, path: environment.path),
      let answer = MemoryFile()
    else { return nothing }
    underWay += 1
    defer { underWay -= 1 }
    let launch = Launch(
      executable: program, arguments: ["type"] + urls, environment: environment.ofTools,
      workingDirectory: environment.home, standardOutput: .descriptor(answer.number))
    guard await run(launch) == .exited(code: 0) else { return nothing }
    let lines = answer.text(atMost: Self.longestAnswer)
      .split(separator: "\n", omittingEmptySubsequences: false)
    return urls.indices.map { place in
      place < lines.count && !lines[place].isEmpty ? String(lines[place]) : nil
    }
  }

  private func run(_ launch: Launch) async -> ProcessEnd? {
    await withCheckedContinuation { continuation in
      var limit: Deadline?
      do throws(SpawnError) {
        let process = try ChildProcess(launch) { end in
          limit?.cancel()
          continuation.resume(returning: end)
        }
        limit = Deadline(after: Self.patience) { process.signalGroup(SIGKILL) }
      } catch {
        journal.info("the types of files are not asked for", ["reason": error.description])
        continuation.resume(returning: nil)
      }
    }
  }
}
