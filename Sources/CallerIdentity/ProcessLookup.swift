package import Host

/// Queries `launchservices-processes` for process information that the kernel hides from a daemon in a user
/// namespace.
package final class ProcessLookup {
  static let unit = "launchservices-processes.service"

  /// The reason for a missing answer; a sentence without its full stop.
  struct Failure: Error {
    let reason: String
  }

  typealias Answer = Result<ProcessQuestion.Answer, Failure>

  /// Timeout for an answer. Other callers are not delayed.
  private let patience: Duration
  private let socket: String
  private let journal: Journal
  private var isFailing = false
  private var asked: [Int: LocalSocketQuery] = [:]
  private var lastNumber = 0
  /// Returns the unit of a process. The answering process is authenticated by its unit.
  var unitOfProcess: (ProcessDetails) -> String? = { _ in nil }

  package init(socket: String, patience: Duration = .seconds(2), _ journal: Journal) {
    self.patience = patience
    self.socket = socket
    self.journal = journal
  }

  /// - Parameter completion: called once, immediately or later.
  func ask(about process: ProcessDetails, _ completion: @escaping (Answer) -> Void) {
    lastNumber += 1
    let number = lastNumber
    do throws(Errno) {
      asked[number] = try LocalSocketQuery(
        ProcessQuestion.bytes(about: process), at: socket, atMost: ProcessQuestion.largestAnswer,
        within: patience
      ) { [unitOfProcess] pid in
        ProcessDetails(of: pid).flatMap(unitOfProcess) == Self.unit
      } completion: { [weak self] bytes in
        self?.asked[number] = nil
        self?.answered(bytes, completion)
      }
    } catch {
      fail(
        error == .notPermitted
          ? "the process that listens at \(socket) is not in this unit" : "\(socket): \(error)",
        completion)
    }
  }

  private func answered(_ bytes: [UInt8]?, _ completion: (Answer) -> Void) {
    guard let answer = bytes.flatMap(ProcessQuestion.read) else {
      return fail("it does not answer", completion)
    }
    isFailing = false
    completion(.success(answer))
  }

  /// Logs only the first of consecutive failures.
  private func fail(_ why: String, _ completion: (Answer) -> Void) {
    let reason =
      "callers cannot be identified: \(Self.unit): \(why); see systemctl --user status \(Self.unit)"
    if !isFailing { journal.error(reason) }
    isFailing = true
    completion(.failure(Failure(reason: reason)))
  }
}
