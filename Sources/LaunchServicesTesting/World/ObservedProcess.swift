internal import Glibc
package import Host

/// A process of the testbed, with its output lines and its end.
@MainActor public final class ObservedProcess {
  /// The name of the program, without its folder.
  public let name: String
  /// All lines of its standard output and standard error so far.
  public private(set) var lines: [String] = []
  private let newLines = Inbox<String>()
  private let ends = Inbox<ProcessEnd>()
  private let reader: LineReader
  private var process: ChildProcess?
  /// Nil while the process runs.
  package private(set) var end: ProcessEnd?
  /// Called when the process ends.
  var onEnd: ((ProcessEnd) -> Void)?

  package init(_ launch: Launch) throws(TestbedFailure) {
    name = launch.executable.split(separator: "/").last.map(String.init) ?? launch.executable
    reader = try LineReader()
    var launch = launch
    if launch.standardOutput == .inherited {
      launch.standardOutput = .descriptor(reader.writingEnd)
    }
    launch.standardError = .descriptor(reader.writingEnd)
    defer { reader.closeWritingEnd() }
    do throws(SpawnError) {
      process = try ChildProcess(launch) { [weak self] end in
        self?.end = end
        self?.ends.put(end)
        self?.onEnd?(end)
      }
    } catch {
      throw TestbedFailure(error.description)
    }
    reader.onLine = { [weak self] line in
      self?.lines.append(line)
      self?.newLines.put(line)
    }
  }

  /// The PID; 0 when the process was not started.
  public var pid: Int32 { process?.pid ?? 0 }
  /// Whether the process still runs.
  public var isRunning: Bool { end == nil }

  /// Waits for the next line that contains `text`; keeps the lines before it for later calls.
  @discardableResult public func line(containing text: String) async throws -> String {
    try await newLines.next("a line of \(name) with \"\(text)\"") { $0.contains(text) }
  }

  /// Waits for the end of the process and returns its description, such as `exited with code 0`.
  public func hasEnded() async throws -> String { try await exit().description }

  package func exit() async throws(NeverCame) -> ProcessEnd {
    let end = try await ends.next("the end of \(name), process \(pid),")
    ends.put(end)  // for later calls
    return end
  }

  /// Sends a signal, such as `SIGTERM`.
  public func signal(_ number: Int32) { process?.signal(number) }

  /// Ends the process with SIGTERM, waits, and returns how it ended.
  @discardableResult public func stop() async throws -> String {
    signal(SIGTERM)
    return try await hasEnded()
  }

  /// Kills the process, and waits for its end.
  func kill() async {
    guard end == nil else { return }
    signal(SIGKILL)
    _ = try? await exit()
  }
}
