import Testing

@testable import LaunchRules

@Suite("Opens under way when the daemon ends") struct ShutdownRuleTests {
  @Test(
    "One that may have arrived and cannot be asked for again is unknown; all others may be asked again"
  )
  func failure() {
    #expect(ShutdownRule.failure(wasHandedOver: true, hasRequestID: false) == .deliveryUnknown)
    #expect(ShutdownRule.failure(wasHandedOver: true, hasRequestID: true) == .shuttingDown)
    #expect(ShutdownRule.failure(wasHandedOver: false, hasRequestID: false) == .shuttingDown)
    #expect(ShutdownRule.failure(wasHandedOver: false, hasRequestID: true) == .shuttingDown)
  }

  @Test("The next daemon says what became of a request with a name") func record() {
    #expect(ShutdownRule.record(isSettled: false, hasRequestID: true) == .leaveToNextDaemon)
    #expect(ShutdownRule.record(isSettled: false, hasRequestID: false) == .settle)
    #expect(ShutdownRule.record(isSettled: true, hasRequestID: true) == .tell)
    #expect(ShutdownRule.record(isSettled: true, hasRequestID: false) == .tell)
  }
}
