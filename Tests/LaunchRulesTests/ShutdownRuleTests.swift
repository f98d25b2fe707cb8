import Testing

@testable import LaunchRules

@Suite("Opens under way when the daemon ends") struct ShutdownRuleTests {
  @Test(
    "One that may have arrived and cannot be asked for again is unknown; all others may be asked again"
  )
  func failure() {
    #expect(ShutdownRule.failure(wasHandedOver: true, isNamed: false) == .deliveryUnknown)
    #expect(ShutdownRule.failure(wasHandedOver: true, isNamed: true) == .shuttingDown)
    #expect(ShutdownRule.failure(wasHandedOver: false, isNamed: false) == .shuttingDown)
    #expect(ShutdownRule.failure(wasHandedOver: false, isNamed: true) == .shuttingDown)
  }

  @Test("The next daemon says what became of a request with a name") func record() {
    #expect(ShutdownRule.record(isSettled: false, isNamed: true) == .leaveToNextDaemon)
    #expect(ShutdownRule.record(isSettled: false, isNamed: false) == .settle)
    #expect(ShutdownRule.record(isSettled: true, isNamed: true) == .tell)
    #expect(ShutdownRule.record(isSettled: true, isNamed: false) == .tell)
  }
}
