internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Looks up the MIME types of files in shared-mime-info, for names that do not determine the type. A separate
/// program uses GIO and may read the files; the daemon does neither.
final class DesktopMIMETypes {
  private let program: DesktopProgram
  private let journal: Journal
  private var underWay = 0

  /// Maximum number of concurrent processes. Further lookups return no type.
  private static let most = 4
  /// A process that runs longer is killed.
  private static let patience: Duration = .seconds(3)
  private static let longestAnswer = 1 << 20

  init(_ program: DesktopProgram, _ journal: Journal) {
    self.program = program
    self.journal = journal
  }

  /// The MIME type for each `file:` URL; nil when it is unknown.
  func ask(_ urls: [String]) async -> [String?] {
    let nothing = urls.map { _ in String?.none }
    guard !urls.isEmpty, underWay < Self.most, let answer = MemoryFile(),
      let launch = program.launch(["type"] + urls, output: answer)
    else { return nothing }
    underWay += 1
    defer { underWay -= 1 }
    guard await run(launch) == .exited(code: 0) else { return nothing }
    let lines = answer.text(atMost: Self.longestAnswer)
      .split(separator: "\n", omittingEmptySubsequences: false)
    return urls.indices.map { place in
      place < lines.count && !lines[place].isEmpty ? String(lines[place]) : nil
    }
  }

  private func run(_ launch: Launch) async -> ProcessEnd? {
    do throws(SpawnError) {
      return try await ChildProcess.run(launch, atMost: Self.patience)
    } catch {
      journal.info("the MIME types of files cannot be looked up", ["reason": error.description])
      return nil
    }
  }
}
