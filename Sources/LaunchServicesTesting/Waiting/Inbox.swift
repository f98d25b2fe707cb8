internal import Host

/// Things that arrive one by one and are awaited with a time limit.
@MainActor final class Inbox<Element: Sendable> {
  /// What has arrived and was not taken, oldest first.
  private(set) var contents: [Element] = []
  private var waiters: [Waiter] = []

  private struct Waiter {
    let number: Int
    let wants: (Element) -> Bool
    let continuation: CheckedContinuation<Result<Element, NeverCame>, Never>
    let deadline: Deadline
  }
  private var lastNumber = 0

  func put(_ element: Element) {
    guard let index = waiters.firstIndex(where: { $0.wants(element) }) else {
      return contents.append(element)
    }
    waiters.remove(at: index).continuation.resume(returning: .success(element))
  }

  /// Takes the oldest element that is wanted; waits for it when it is not there yet.
  /// - Parameter awaited: what the error says has not come.
  func next(
    _ awaited: String, within limit: Duration = patience,
    where wants: @escaping (Element) -> Bool = { _ in true }
  ) async throws(NeverCame) -> Element {
    if let index = contents.firstIndex(where: wants) { return contents.remove(at: index) }
    lastNumber += 1
    let number = lastNumber
    return try await withCheckedContinuation { continuation in
      let deadline = Deadline(after: limit) { [weak self] in self?.giveUp(number, awaited, limit) }
      waiters.append(
        Waiter(number: number, wants: wants, continuation: continuation, deadline: deadline))
    }.get()
  }

  private func giveUp(_ number: Int, _ awaited: String, _ limit: Duration) {
    guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
    let error = NeverCame(awaited: awaited, limit: limit, seen: contents.map { "\($0)" })
    waiters.remove(at: index).continuation.resume(returning: .failure(error))
  }

  func removeAll(where isUnwanted: (Element) -> Bool) { contents.removeAll(where: isUnwanted) }
}

/// How long anything may take in a test before it counts as hanging.
let patience = Duration.seconds(20)

/// Something that a test waits for did not happen in time.
public struct NeverCame: Error, Hashable, Sendable, CustomStringConvertible {
  /// What did not come.
  public let awaited: String
  /// How long the test waited.
  public let limit: Duration
  /// What had come instead and was not asked for.
  public let seen: [String]

  /// A sentence with what did not come, the limit, and what came instead.
  public var description: String {
    let instead = seen.isEmpty ? "nothing else did" : "instead: " + seen.joined(separator: "; ")
    return "\(awaited) did not come within \(limit); \(instead)"
  }
}
