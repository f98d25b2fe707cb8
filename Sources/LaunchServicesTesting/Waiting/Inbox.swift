internal import Host

/// Elements that arrive one by one and are awaited with a time limit.
@MainActor final class Inbox<Element: Sendable> {
  /// The elements that have arrived and were not taken, oldest first.
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

  /// Takes the oldest matching element; waits until one arrives.
  /// - Parameter awaited: The description of the element in the error.
  func next(
    _ awaited: String, within limit: Duration = Patience.ofTests,
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

/// An awaited event did not happen in time.
public struct NeverCame: Error, Hashable, Sendable, CustomStringConvertible {
  /// The description of the event.
  public let awaited: String
  /// The timeout.
  public let limit: Duration
  /// The elements that arrived instead.
  public let seen: [String]

  /// A sentence with the event, the timeout, and the elements that arrived instead.
  public var description: String {
    let instead = seen.isEmpty ? "nothing else did" : "instead: " + seen.joined(separator: "; ")
    return "\(awaited) did not come within \(limit); \(instead)"
  }
}
