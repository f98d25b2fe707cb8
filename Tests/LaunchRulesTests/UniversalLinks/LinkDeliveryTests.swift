import LaunchRules
import Testing

@Suite("Delivery of universal links") struct LinkDeliveryTests {
  private let slot = InstanceSlot(Sample.id("com.example.app"))
  private let link = OpenRequest(1, .userActivity)

  /// What a launch for a link ends with.
  private func finish(
    _ style: DeliveryStyle, _ answers: LaunchAnswers
  ) -> [HandlerLifecycle.Effect] {
    var lifecycle = HandlerLifecycle(slot, style: style)
    let instance = InstanceID(slot, ordinal: 1)
    #expect(lifecycle.handle(.openRequested(link)) == [.launch(instance, reason: link)])
    #expect(
      lifecycle.handle(.checkedIn(instance))
        == [.answerCheckIn(instance, reason: link, style: style)])
    return lifecycle.handle(.finishedLaunching(instance, answers)).filter {
      $0 != .disarmWatchdog(instance)
    }
  }

  @Test("R5.21 is refused by a launch method that returns false", arguments: [true, false])
  func gate(_ will: Bool) {
    #expect(
      finish(.delegate, LaunchAnswers(will: will, did: !will))
        == [.succeed(1, OpenOutcome(.cold, .vetoed, handled: false))])
  }

  @Test("R5.20 follows the launch of an application delegate") func delegate() {
    #expect(
      finish(.delegate, LaunchAnswers(will: true))
        == [.deliver(link, to: InstanceID(slot, ordinal: 1))])
  }

  @Test("R5.14 R5.20 comes with the connection options of a scene") func scene() {
    #expect(
      finish(.scene, LaunchAnswers(will: false))
        == [.succeed(1, OpenOutcome(.cold, .delivered, handled: true))])
  }
}
