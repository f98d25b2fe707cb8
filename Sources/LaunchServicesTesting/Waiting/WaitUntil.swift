internal import Host

/// Waits for a state that no event announces, such as one of a process: looks again and again, with pauses in which
/// other tests go on.
/// - Parameters:
///   - awaited: What the error says has not come.
///   - limit: How long to wait before the error `NeverCame` is thrown.
///   - isSo: Whether it has come.
@MainActor public func waitUntil(
  _ awaited: String, within limit: Duration = .seconds(60),
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
