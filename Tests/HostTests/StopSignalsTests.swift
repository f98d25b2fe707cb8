import Foundation
import Testing

@testable import Host

@Suite("A stop signal", .timeLimit(.minutes(30))) struct StopSignalsTests {
  @Test("is an event, even when it comes before anybody listens") func early() async {
    await #expect(processExitsWith: .exitCode(23)) {
      try StopSignals.block()
      kill(getpid(), SIGTERM)
      try await reportSignals()
    }
  }

  @Test("of each kind is told apart") func kinds() async {
    await #expect(processExitsWith: .exitCode(123)) {
      try StopSignals.block()
      let told = await EventStream<StopSignals.Signal>()
      let signals = try await StopSignals { told.add($0) }
      for (number, signal) in [
        (SIGHUP, StopSignals.Signal.hangUp), (SIGINT, .interrupt), (SIGQUIT, .quit),
      ] {
        kill(getpid(), number)
        let next = try await told.next()
        #expect(next == signal)
        #expect(next.number == number)
      }
      withExtendedLifetime(signals) { exit(123) }
    }
  }

  @Test("of a closed pipe is no death") func closedPipe() async {
    await #expect(processExitsWith: .exitCode(Int32(EPIPE))) {
      try StopSignals.block()
      var ends: [Int32] = [0, 0]
      unsafe pipe(&ends)
      close(ends[0])
      unsafe write(ends[1], "x", 1)
      exit(errno)
    }
  }
}

/// Ends this process with a code that says which signals have come.
@MainActor private func reportSignals() async throws {
  let told = EventStream<StopSignals.Signal>()
  let signals = try StopSignals { told.add($0) }
  if try await told.next() == .terminate { exit(23) }
  withExtendedLifetime(signals) { exit(1) }
}
