internal import Host

/// Waits for a state without an event, such as the state of a process: checks it repeatedly, with pauses in
/// which other tests continue.
/// - Parameters:
///   - awaited: The description of the state in the error.
///   - limit: The time after which the error `NeverCame` is thrown.
///   - isSo: Whether the state is reached.
@MainActor public func waitUntil(
  _ awaited: String, within limit: Duration = Patience.ofTests,
  _ isSo: @MainActor () async throws -> Bool
) async throws {
  let start = ContinuousClock.now
  var pause = Duration.milliseconds(1)
  while try await !isSo() {
    guard ContinuousClock.now - start < limit else {
      throw NeverCame(awaited: awaited, limit: limit, seen: [])
    }
    await passes(pause)
    pause = min(pause * 2, .milliseconds(50))
  }
}

@MainActor private func passes(_ time: Duration) async {
  var timer: Deadline?
  await withCheckedContinuation { continuation in
    timer = Deadline(after: time) { continuation.resume() }
  }
  timer?.cancel()
}
