internal import DBus
internal import DBusMainLoop
internal import Events
internal import Host

/// Waits for the answers of applications, and knows the processes that owe one. URLs for such a process are sent, too, but
/// do not wait for their time one after the other.
final class OverdueAnswers {
  private struct Process: Hashable {
    let pid: Int32
    let startTime: UInt64

    init(_ process: ProcessDetails) { (pid, startTime) = (process.pid, process.startTime) }
  }

  /// The number of answers that each process owes.
  private var owed: [Process: Int] = [:]
  /// The time that a process has for an answer while it owes one.
  private static let shortPatience: Duration = .milliseconds(200)
  /// The time after which an answer is no longer expected, so that the process gets its whole time again.
  private static let longestDebt: Duration = .seconds(600)

  /// The time that a process has for an answer.
  /// - Parameter usual: the time of a process that owes none.
  func patience(with process: ProcessDetails, _ usual: Duration) -> Duration {
    owed[Process(process)] == nil ? usual : min(usual, Self.shortPatience)
  }

  /// The answer to a call; `Timeout` after the time.
  func answer(
    to message: borrowing Message, of process: ProcessDetails, within time: Duration,
    on session: BusSession
  ) async -> Result<[Value], BusError> {
    guard time > .zero else { return .failure(.timedOut) }
    return await withCheckedContinuation { continuation in
      let wait = Wait(time, .failure(.timedOut), continuation) { [weak self] in
        self?.changeDebt(of: process, by: $0)
      }
      session.call(message, deadline: Self.longestDebt) { wait.answered($0) }
    }
  }

  /// The answer that a query gets.
  /// - Parameters:
  ///   - late: the answer after the time.
  ///   - query: waits for the answer, not longer than its parameter.
  func answer<Answer: Sendable>(
    of process: ProcessDetails, within time: Duration, else late: Answer,
    _ query: @escaping @MainActor (Duration) async -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      let wait = Wait(time, late, continuation) { [weak self] in
        self?.changeDebt(of: process, by: $0)
      }
      Task { wait.answered(await query(Self.longestDebt)) }
    }
  }

  private func changeDebt(of process: ProcessDetails, by number: Int) {
    let process = Process(process)
    let debt = (owed[process] ?? 0) + number
    owed[process] = debt > 0 ? debt : nil
  }

  /// One answer that is waited for.
  private final class Wait<Answer: Sendable> {
    private var continuation: CheckedContinuation<Answer, Never>?
    private var deadline: Deadline?
    private let changeDebt: (Int) -> Void

    init(
      _ time: Duration, _ late: Answer, _ continuation: CheckedContinuation<Answer, Never>,
      _ changeDebt: @escaping (Int) -> Void
    ) {
      self.continuation = continuation
      self.changeDebt = changeDebt
      deadline = Deadline(after: time) { [self] in
        end(late)
        changeDebt(1)
      }
    }

    func answered(_ answer: Answer) {
      if continuation == nil { changeDebt(-1) }
      end(answer)
    }

    private func end(_ answer: Answer) {
      deadline = nil
      continuation?.resume(returning: answer)
      continuation = nil
    }
  }
}
