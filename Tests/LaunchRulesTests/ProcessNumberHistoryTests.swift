import Testing

@testable import LaunchRules

@Suite("The number of a process that was another's") struct ProcessNumberHistoryTests {
  private static let second: UInt64 = 1_000_000
  private static let numbers: UInt64 = 32768

  private func history(_ samples: (second: UInt64, starts: UInt64)...) -> ProcessNumberHistory {
    var history = ProcessNumberHistory()
    for sample in samples { history.add(sample.starts, at: sample.second * Self.second) }
    return history
  }

  private func mayBeReused(
    _ history: ProcessNumberHistory, _ arrival: UInt64, starts: UInt64?,
    numbers: UInt64? = Self.numbers
  ) -> Bool {
    ProcessNumberHistory.mayBeReused(
      startsBefore: history.startsBefore(connectionHeardOf: arrival), starts: starts,
      numbers: numbers)
  }

  @Test("A process that is older than any connection that says Hello now is what it says")
  func old() {
    #expect(!ProcessNumberHistory.isYoung(100 * Self.second, at: 340 * Self.second))
    #expect(ProcessNumberHistory.isYoung(101 * Self.second, at: 340 * Self.second))
  }

  @Test("A number is used again after as many starts as there are numbers, and not before")
  func reuse() {
    let history = history((0, 1000))
    func mayBeReused(_ starts: UInt64) -> Bool {
      self.mayBeReused(history, 300 * Self.second, starts: starts)
    }
    #expect(!mayBeReused(1000 + Self.numbers - 301))
    #expect(mayBeReused(1000 + Self.numbers - 300))
  }

  @Test("Counted is from before the connection can have been made") func window() {
    func mayBeReused(_ arrival: UInt64, _ history: ProcessNumberHistory) -> Bool {
      self.mayBeReused(history, arrival * Self.second, starts: 61_000)
    }
    // The connection was made at 60 s or later: the sample of 0 s is the last one before.
    #expect(mayBeReused(300, history((0, 1000), (100, 40_000), (200, 50_000))))
    #expect(!mayBeReused(340, history((0, 1000), (100, 40_000), (200, 50_000))))
    // Nothing was counted before.
    #expect(mayBeReused(300, history((100, 60_000))))
  }

  @Test("Samples that are needed no more are dropped, and those that come too soon are not taken")
  func samples() {
    var history = history((0, 1), (10, 2))
    #expect(!history.isDue(at: 19 * Self.second))
    #expect(history.isDue(at: 20 * Self.second))
    for second in stride(from: UInt64(20), through: 1000, by: 10) {
      history.add(second, at: second * Self.second)
    }
    #expect(
      !mayBeReused(history, 1000 * Self.second, starts: 760 + Self.numbers - 301))
    #expect(
      mayBeReused(history, 1000 * Self.second, starts: 760 + Self.numbers - 300))
  }

  @Test("What cannot be known is not taken for harmless") func unknown() {
    #expect(mayBeReused(history((0, 1)), 1, starts: nil, numbers: 10_000))
    #expect(mayBeReused(history((0, 1)), 1, starts: 2, numbers: nil))
    #expect(!mayBeReused(history(), 1, starts: 2, numbers: 10_000))
    #expect(mayBeReused(history(), 1, starts: 10_000, numbers: 10_000))
  }
}
