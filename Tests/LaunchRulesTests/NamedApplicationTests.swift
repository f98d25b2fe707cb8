import LaunchRules
import Testing

private let slot = InstanceSlot(BundleIdentifier("com.example.photos")!)
private let first = InstanceID(slot, ordinal: 1)
private let second = InstanceID(slot, ordinal: 2)
private let one = OpenRequest(1)
private let two = OpenRequest(2)

@Suite("An application that is met by its bus name")
struct NamedApplicationTests {
  typealias Story = HandlerLifecycleTests.Story
  typealias Step = HandlerLifecycleTests.Step

  private static func delivered(
    _ id: RequestID, _ launch: OpenOutcome.Launch
  ) -> HandlerLifecycle.Effect {
    .succeed(id, OpenOutcome(launch, .delivered, handled: true))
  }

  static let cold: [Step] = [
    (.openRequested(one), [.launch(first, reason: one)]), (.openRequested(two), []),
  ]

  static let stories = [
    Story(
      testDescription: "it is ready when it owns its name: no check-in, no gate",
      steps: cold + [
        (.ownsName(first), [.disarmWatchdog(first), .deliver(one, to: first)]),
        (
          .answered(first, 1, .handled(true)), [delivered(1, .cold), .deliver(two, to: first)]
        ),
        (.answered(first, 2, .handled(true)), [delivered(2, .warm)]),
      ]),
    Story(
      testDescription: "one with a scene manifest is given its URL all the same",
      style: .scene,
      steps: cold + [(.ownsName(first), [.disarmWatchdog(first), .deliver(one, to: first)])]),
    Story(
      testDescription: "what was cancelled during the launch is not delivered",
      steps: [
        (.openRequested(one), [.launch(first, reason: one)]),
        (
          .cancelled(1),
          [
            .fail(
              1,
              .cancelled(
                "the open request was cancelled before it was delivered; com.example.photos has not checked in"
              ))
          ]
        ),
        (.ownsName(first), [.disarmWatchdog(first)]),
        (.openRequested(two), [.deliver(two, to: first)]),
      ]),
    Story(
      testDescription: "one that has checked in speaks the other protocol, and is not met",
      steps: [
        (.openRequested(one), [.launch(first, reason: one)]),
        (.checkedIn(first), [.answerCheckIn(first, reason: one)]), (.ownsName(first), []),
        (.ownsNameByItself(ranBefore: false), []),
        (
          .finishedLaunching(first, LaunchAnswers()),
          [.disarmWatchdog(first), .deliver(one, to: first)]
        ),
        (.ownsName(first), []),
      ]),
    Story(
      testDescription: "one that the bus has started is a cold launch, though it is not ours",
      steps: cold + [
        (
          .ownsNameByItself(ranBefore: false),
          [.disarmWatchdog(first), .stop(first), .deliver(one, to: second)]
        ),
        (
          .connectionLost(second),
          [
            .forget(second),
            .fail(
              1,
              .handlerExited(
                "com.example.photos ended before it acknowledged the delivery: it left the bus")),
            .launch(InstanceID(slot, ordinal: 3), reason: two),
          ]
        ),
      ]),
    Story(
      testDescription: "one that ran before anybody opened anything is warm",
      steps: cold + [
        (
          .ownsNameByItself(ranBefore: true),
          [.disarmWatchdog(first), .stop(first), .deliver(one, to: second)]
        ),
        (
          .answered(second, 1, .handled(true)), [delivered(1, .warm), .deliver(two, to: second)]
        ),
      ]),
    Story(
      testDescription: "one that comes by itself waits for its first URL, and is met once",
      steps: [
        (.ownsNameByItself(ranBefore: true), []), (.ownsNameByItself(ranBefore: true), []),
        (.openRequested(one), [.deliver(one, to: first)]),
      ]),
    Story(
      testDescription: "one that served the daemon before this one is known by its name",
      steps: [
        (.ranBefore(isOurs: true), []), (.openRequested(one), []),
        (.ownsName(first), [.disarmWatchdog(first), .deliver(one, to: first)]),
        (.answered(first, 1, .handled(true)), [delivered(1, .warm)]),
      ]),
    Story(
      testDescription: "another process took the name while the daemon was away",
      steps: [
        (.ranBefore(isOurs: true), []), (.openRequested(one), []),
        (
          .ownsNameByItself(ranBefore: true),
          [.disarmWatchdog(first), .forget(first), .deliver(one, to: second)]
        ),
      ]),
    Story(
      testDescription: "another process takes the name while ours ends, and gets what waits",
      steps: cold + [
        (.ownsName(first), [.disarmWatchdog(first), .deliver(one, to: first)]),
        (.connectionLost(first), [.stop(first)]), (.ownsName(first), []),
        (
          .ownsNameByItself(ranBefore: false),
          [
            .fail(
              1,
              .handlerExited(
                "com.example.photos ended before it acknowledged the delivery: another process of"
                  + " the application replaced it")), .deliver(two, to: second),
          ]
        ), (.answered(second, 2, .handled(true)), [delivered(2, .warm)]),
      ]),
    Story(
      testDescription: "a name of a process that has gone changes nothing",
      steps: [(.ownsName(first), [])]),
  ]

  @Test(arguments: stories)
  func tells(_ story: Story) {
    var lifecycle = HandlerLifecycle(slot, style: story.style)
    for step in story.steps { #expect(lifecycle.handle(step.event) == step.effects) }
  }

  @Test("a request that may have arrived is not sent to whoever owns the name")
  func mayHaveArrived() {
    var lifecycle = HandlerLifecycle(slot, style: .delegate)
    _ = lifecycle.handle(.ranBefore(isOurs: true))
    _ = lifecycle.handle(.openRequested(OpenRequest(1, mayHaveArrived: true)))
    let effects = lifecycle.handle(.ownsName(first))
    #expect(effects.first == .disarmWatchdog(first))
    guard case .fail(1, .deliveryUnknown) = effects.last else {
      Issue.record("\(effects)")
      return
    }
  }

  // MARK: Which process it is

  private func installed(isDBusActivatable: Bool = true) -> (Registry, InstalledApplication) {
    var photos = Sample.app("com.example.photos", claims: ["photos"], on: .macOS)
    photos.declaration.isDBusActivatable = isDBusActivatable
    return (Sample.registry([photos]), photos)
  }

  @Test("the name of an application that does not export the interface means nothing")
  func notActivatable() {
    let (registry, photos) = installed(isDBusActivatable: false)
    var lifecycles = LifecycleTable(instanceLimit: 32)
    #expect(lifecycles.meet(.cameByItself(photos.identifier), ranBefore: true, in: registry) == nil)
    #expect(lifecycles.states(of: photos.identifier).isEmpty)
  }

  @Test("a process that is believed in nothing is not met") func refused() {
    let (registry, _) = installed()
    var lifecycles = LifecycleTable(instanceLimit: 32)
    #expect(lifecycles.meet(.refused("no"), ranBefore: true, in: registry) == nil)
  }

  @Test("R5.33 the owner of a name has no second instance") func oneInstance() {
    let (registry, photos) = installed()
    var lifecycles = LifecycleTable(instanceLimit: 32)
    let met = lifecycles.meet(.cameByItself(photos.identifier), ranBefore: true, in: registry)
    #expect(met?.0 == first)
    #expect(lifecycles.meet(.cameByItself(photos.identifier), ranBefore: true, in: registry) == nil)
    let refused = Result { () throws(OpenFailure) in
      try lifecycles.open(one, with: photos, newInstance: .init(of: .orphans))
    }
    guard case .failure(.launchFailed) = refused else {
      Issue.record("\(refused)")
      return
    }
    #expect(lifecycles.states(of: photos.identifier).count == 1)
  }

  @Test("the process that was started is the one that is met") func expected() throws {
    let (registry, photos) = installed()
    var lifecycles = LifecycleTable(instanceLimit: 32)
    #expect(try lifecycles.open(one, with: photos) == [.launch(first, reason: one)])
    let met = lifecycles.meet(.expected(first), ranBefore: false, in: registry)
    #expect(met?.0 == first)
    #expect(met?.1.contains(.deliver(one, to: first)) == true)
    #expect(lifecycles.meet(.expected(first), ranBefore: false, in: registry) == nil)
  }
}
