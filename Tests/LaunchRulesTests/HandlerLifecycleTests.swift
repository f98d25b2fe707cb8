import LaunchRules
import SeededRandom
import Testing

private let slot = InstanceSlot(BundleIdentifier("com.example.photos")!)
private func instance(_ ordinal: UInt64) -> InstanceID { InstanceID(slot, ordinal: ordinal) }
private let first = instance(1)
private let second = instance(2)
private let exitFailure = OpenFailure.handlerExited(
  "com.example.photos ended before it acknowledged the delivery: killed")

private func unknown(_ request: RequestID) -> HandlerLifecycle.Effect {
  .fail(
    request,
    .deliveryUnknown(
      "the daemon ended during the delivery to com.example.photos, whose process has ended or does"
        + " not remember requests: it is unknown whether the request arrived, and the request is"
        + " not sent again"))
}

private func passedOn(
  _ launch: OpenOutcome.Launch, _ delivery: OpenOutcome.Delivery
) -> OpenOutcome {
  var outcome = OpenOutcome(launch, delivery, handled: true)
  outcome.way = "arguments"
  return outcome
}

@Suite("Handler lifecycle")
struct HandlerLifecycleTests {
  typealias Step = (event: HandlerLifecycle.Event, effects: [HandlerLifecycle.Effect])

  struct Story: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var style = DeliveryStyle.delegate
    let steps: [Step]
  }

  /// A cold open of request 1 up to the point where the process runs and 1 is acknowledged.
  static let launched: [Step] = [
    (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
    (.checkedIn(first), [.answerCheckIn(first, reason: OpenRequest(1))]),
    (
      .finishedLaunching(first, LaunchAnswers()),
      [.disarmWatchdog(first), .deliver(OpenRequest(1), to: first)]
    ),
    (
      .answered(first, 1, .handled(true)),
      [.succeed(1, OpenOutcome(.cold, .delivered, handled: true))]
    ),
  ]

  static let stories = [
    Story(
      testDescription: "R5.2 a cold URL is delivered after the launch, a later one is warm",
      steps: launched + [
        (.openRequested(OpenRequest(2)), [.deliver(OpenRequest(2), to: first)]),
        (
          .answered(first, 2, .handled(false)),
          [.succeed(2, OpenOutcome(.warm, .delivered, handled: false))]
        ),
      ]),
    Story(
      testDescription:
        "what a handler has passed on is reported as it says, and the next URL follows",
      steps: launched + [
        (.openRequested(OpenRequest(2)), [.deliver(OpenRequest(2), to: first)]),
        (.openRequested(OpenRequest(3)), []),
        (
          .answered(first, 2, .passedOn(HandOver(.handedOver, by: .arguments, launch: .cold))),
          [.succeed(2, passedOn(.cold, .handedOver)), .deliver(OpenRequest(3), to: first)]
        ),
        (
          .answered(first, 3, .passedOn(HandOver(.unacknowledged, by: .arguments))),
          [.succeed(3, passedOn(.warm, .unacknowledged))]
        ),
      ]),
    Story(
      testDescription: "opens that arrive during the launch wait and go out one by one, in order",
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (.openRequested(OpenRequest(2)), []),
        (.checkedIn(first), [.answerCheckIn(first, reason: OpenRequest(1))]),
        (.openRequested(OpenRequest(3)), []),
        (
          .finishedLaunching(first, LaunchAnswers(will: true, did: true)),
          [.disarmWatchdog(first), .deliver(OpenRequest(1), to: first)]
        ),
        (
          .answered(first, 1, .handled(true)),
          [
            .succeed(1, OpenOutcome(.cold, .delivered, handled: true)),
            .deliver(OpenRequest(2), to: first),
          ]
        ),
        (
          .answered(first, 2, .handled(true)),
          [
            .succeed(2, OpenOutcome(.warm, .delivered, handled: true)),
            .deliver(OpenRequest(3), to: first),
          ]
        ),
      ]),
    Story(
      testDescription: "R5.7 a vetoed URL is dropped, what waited behind it is not",
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (.openRequested(OpenRequest(2)), []),
        (.checkedIn(first), [.answerCheckIn(first, reason: OpenRequest(1))]),
        (
          .finishedLaunching(first, LaunchAnswers(did: false)),
          [
            .disarmWatchdog(first), .succeed(1, OpenOutcome(.cold, .vetoed, handled: false)),
            .deliver(OpenRequest(2), to: first),
          ]
        ),
      ]),
    Story(
      testDescription: "R5.14 a scene application has no gate",
      style: .scene,
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (.checkedIn(first), [.answerCheckIn(first, reason: OpenRequest(1), style: .scene)]),
        (
          .finishedLaunching(first, LaunchAnswers(will: false, did: false)),
          [.disarmWatchdog(first), .succeed(1, OpenOutcome(.cold, .delivered, handled: true))]
        ),
      ]),
    Story(
      testDescription: "a scene application launches without a request that could not be recorded",
      style: .scene,
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (.openRequested(OpenRequest(2)), []),
        (.checkedIn(first), [.answerCheckIn(first, reason: OpenRequest(1), style: .scene)]),
        (.answered(first, 2, .refused("no")), []),
        (
          .answered(first, 1, .refused("no")),
          [.fail(1, .handlerRefused("the delivery to com.example.photos failed: no"))]
        ),
        (
          .finishedLaunching(first, LaunchAnswers()),
          [.disarmWatchdog(first), .deliver(OpenRequest(2), to: first)]
        ),
      ]),
    Story(
      testDescription: "H1 a program that does not know scenes gets its URL by a call",
      style: .scene,
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (
          .checkedIn(first, takesConnectionOptions: false),
          [.answerCheckIn(first, reason: OpenRequest(1))]
        ),
        (
          .finishedLaunching(first, LaunchAnswers()),
          [.disarmWatchdog(first), .deliver(OpenRequest(1), to: first)]
        ),
        (
          .answered(first, 1, .handled(false)),
          [.succeed(1, OpenOutcome(.cold, .delivered, handled: false))]
        ),
        (.exited(first, how: "exited with code 0"), []),
        (.openRequested(OpenRequest(2)), [.launch(second, reason: OpenRequest(2))]),
        (.checkedIn(second), [.answerCheckIn(second, reason: OpenRequest(2), style: .scene)]),
      ]),
    Story(
      testDescription: "H1 so does one that comes by itself instead",
      style: .scene,
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (
          .checkedInByItself(remembers: nil, takesConnectionOptions: false),
          [
            .disarmWatchdog(first), .stop(first), .answerCheckIn(second, reason: OpenRequest(1)),
          ]
        ),
        (
          .finishedLaunching(second, LaunchAnswers()),
          [.disarmWatchdog(second), .deliver(OpenRequest(1), to: second)]
        ),
      ]),
    Story(
      testDescription: "R5.22 a launch method that says false has performed the quick action",
      steps: [
        (
          .openRequested(OpenRequest(1, .quickAction)),
          [.launch(first, reason: OpenRequest(1, .quickAction))]
        ),
        (.checkedIn(first), [.answerCheckIn(first, reason: OpenRequest(1, .quickAction))]),
        (
          .finishedLaunching(first, LaunchAnswers(will: true, did: false)),
          [.disarmWatchdog(first), .succeed(1, OpenOutcome(.cold, .delivered, handled: true))]
        ),
      ]),
    Story(
      testDescription: "a failed launch refuses everyone who waited, and the next open retries",
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (.openRequested(OpenRequest(2)), []),
        (
          .launchFailed(first, .noExecutable("gone")),
          [
            .disarmWatchdog(first), .fail(1, .noExecutable("gone")),
            .fail(2, .noExecutable("gone")),
          ]
        ),
        (.openRequested(OpenRequest(3)), [.launch(second, reason: OpenRequest(3))]),
      ]),
    Story(
      testDescription: "a crash fails the URL under way; what was never sent starts a new process",
      steps: launched + [
        (.openRequested(OpenRequest(2)), [.deliver(OpenRequest(2), to: first)]),
        (.openRequested(OpenRequest(3)), []),
        (
          .exited(first, how: "killed"),
          [.fail(2, exitFailure), .launch(second, reason: OpenRequest(3))]
        ),
        (.answered(first, 2, .handled(true)), []),
      ]),
    Story(
      testDescription: "a handler that leaves the bus is ended before the next one is started",
      steps: launched + [
        (.openRequested(OpenRequest(2)), [.deliver(OpenRequest(2), to: first)]),
        (.connectionLost(first), [.stop(first)]),
        (.openRequested(OpenRequest(3)), []),
        (
          .exited(first, how: "killed"),
          [.fail(2, exitFailure), .launch(second, reason: OpenRequest(3))]
        ),
      ]),
    Story(
      testDescription: "a URL that came too late for a process that has ended goes to the next one",
      steps: launched + [
        (.openRequested(OpenRequest(2)), [.deliver(OpenRequest(2), to: first)]),
        (.openRequested(OpenRequest(3)), []),
        (.answered(first, 2, .notDelivered), []),
        (.exited(first, how: "killed"), [.launch(second, reason: OpenRequest(2))]),
      ]),
    Story(
      testDescription: "the URL that a process was launched for is not tried a second time",
      steps: launched.dropLast() + [
        (.openRequested(OpenRequest(2)), []),
        (.answered(first, 1, .notDelivered), []),
        (
          .exited(first, how: "killed"),
          [.fail(1, exitFailure), .launch(second, reason: OpenRequest(2))]
        ),
      ]),
    Story(
      testDescription: "a process that is lost while launching ended while launching",
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (.checkedIn(first), [.answerCheckIn(first, reason: OpenRequest(1))]),
        (.connectionLost(first), [.disarmWatchdog(first), .stop(first)]),
        (
          .exited(first, how: "killed"),
          [.fail(1, .handlerExited("com.example.photos ended while launching: killed"))]
        ),
      ]),
    Story(
      testDescription: "a handler that hangs is told apart, ended, and the next open starts afresh",
      steps: launched + [
        (.openRequested(OpenRequest(2)), [.deliver(OpenRequest(2), to: first)]),
        (
          .answered(first, 2, .timedOut(seconds: 20)),
          [
            .fail(
              2,
              .handlerTimedOut("com.example.photos did not answer the delivery within 20 s")),
            .stop(first),
          ]
        ),
        (.openRequested(OpenRequest(3)), []),
        (.exited(first, how: "killed"), [.launch(second, reason: OpenRequest(3))]),
      ]),
    Story(
      testDescription: "R5.25 the watchdog fails everyone who waited and ends the process",
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (
          .watchdogFired(first, seconds: 20),
          [
            .fail(
              1, .launchTimedOut("com.example.photos did not check in within 20 s")),
            .stop(first),
          ]
        ),
        (.exited(first, how: "killed"), []),
      ]),
    Story(
      testDescription: "a process that came by itself is served, and never ended by us",
      steps: [
        (.checkedInByItself(remembers: nil), [.answerCheckIn(first, reason: nil)]),
        (.finishedLaunching(first, LaunchAnswers()), [.disarmWatchdog(first)]),
        (.openRequested(OpenRequest(1)), [.deliver(OpenRequest(1), to: first)]),
        (.openRequested(OpenRequest(2)), []),
        (
          .connectionLost(first),
          [
            .forget(first),
            .fail(
              1,
              .handlerExited(
                "com.example.photos ended before it acknowledged the delivery: it left the bus")),
            .launch(second, reason: OpenRequest(2)),
          ]
        ),
      ]),
  ]

  static let takeovers = [
    Story(
      testDescription: "a process that comes while ours has not checked in gets what waits",
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (.openRequested(OpenRequest(2)), []),
        (
          .checkedInByItself(remembers: nil),
          [
            .disarmWatchdog(first), .stop(first), .answerCheckIn(second, reason: OpenRequest(1)),
          ]
        ),
        (.exited(first, how: "killed"), []),
        (
          .finishedLaunching(second, LaunchAnswers()),
          [.disarmWatchdog(second), .deliver(OpenRequest(1), to: second)]
        ),
        (
          .answered(second, 1, .handled(true)),
          [
            .succeed(1, OpenOutcome(.cold, .delivered, handled: true)),
            .deliver(OpenRequest(2), to: second),
          ]
        ),
      ]),
    Story(
      testDescription:
        "one that was launched long ago and comes meanwhile gets at once what was never sent",
      steps: [
        (.openRequested(OpenRequest(1)), [.launch(first, reason: OpenRequest(1))]),
        (.openRequested(OpenRequest(2, mayHaveArrived: true)), []),
        (
          .checkedInByItself(remembers: true),
          [
            .disarmWatchdog(first), .stop(first), .answerCheckIn(second, reason: nil), unknown(2),
            .deliver(OpenRequest(1), to: second),
          ]
        ),
      ]),
    Story(
      testDescription: "a process that comes while ours has to go gets what waits for the next one",
      steps: launched + [
        (.openRequested(OpenRequest(2)), [.deliver(OpenRequest(2), to: first)]),
        (.openRequested(OpenRequest(3)), []),
        (.connectionLost(first), [.stop(first)]),
        (
          .checkedInByItself(remembers: nil),
          [
            .fail(
              2,
              .handlerExited(
                "com.example.photos ended before it acknowledged the delivery: another process of"
                  + " the application replaced it")),
            .answerCheckIn(second, reason: OpenRequest(3)),
          ]
        ),
        (.exited(first, how: "killed"), []),
      ]),
    Story(
      testDescription: "a process that served the daemon before comes back to what waits for it",
      steps: [
        (.ranBefore(isOurs: true), []),
        (.openRequested(OpenRequest(1)), []),
        (.openRequested(OpenRequest(2, mayHaveArrived: true)), []),
        (
          .returned(first, remembers: true),
          [
            .disarmWatchdog(first), .answerCheckIn(first, reason: nil),
            .deliver(OpenRequest(1), to: first),
          ]
        ),
        (
          .answered(first, 1, .handled(true)),
          [
            .succeed(1, OpenOutcome(.warm, .delivered, handled: true)),
            .deliver(OpenRequest(2, mayHaveArrived: true), to: first),
          ]
        ),
      ]),
    Story(
      testDescription: "what may have arrived goes to nobody who does not remember",
      steps: [
        (.ranBefore(isOurs: true), []),
        (.openRequested(OpenRequest(1, mayHaveArrived: true)), []),
        (.openRequested(OpenRequest(2)), []),
        (
          .returned(first, remembers: false),
          [
            .disarmWatchdog(first), .answerCheckIn(first, reason: nil), unknown(1),
            .deliver(OpenRequest(2), to: first),
          ]
        ),
      ]),
    Story(
      testDescription: "a process that does not come back is replaced for what is sure not to have"
        + " arrived",
      steps: [
        (.ranBefore(isOurs: true), []),
        (.openRequested(OpenRequest(1, mayHaveArrived: true)), []),
        (.openRequested(OpenRequest(2)), []),
        (
          .watchdogFired(first, seconds: 5),
          [.forget(first), unknown(1), .launch(second, reason: OpenRequest(2))]
        ),
      ]),
    Story(
      testDescription: "one that ends before it comes back, with nothing waiting, leaves nothing",
      steps: [
        (.ranBefore(isOurs: true), []),
        (.exited(first, how: "killed"), [.disarmWatchdog(first)]),
        (.openRequested(OpenRequest(1)), [.launch(second, reason: OpenRequest(1))]),
      ]),
    Story(
      testDescription: "R1.38 one that would be suspended is ended, unless something has come",
      steps: launched + [
        (.openRequested(OpenRequest(2)), [.deliver(OpenRequest(2), to: first)]),
        (.retired(first), []),
        (
          .answered(first, 2, .handled(true)),
          [.succeed(2, OpenOutcome(.warm, .delivered, handled: true))]
        ),
        (.retired(first), [.stop(first)]),
        (.openRequested(OpenRequest(3)), []),
        (.exited(first, how: "exited"), [.launch(second, reason: OpenRequest(3))]),
      ]),
  ]

  @Test(arguments: stories + takeovers)
  func tells(_ story: Story) {
    var lifecycle = HandlerLifecycle(slot, style: story.style)
    for step in story.steps {
      #expect(lifecycle.handle(step.event) == step.effects)
    }
  }

  @Test(
    "R5.4 the gate, every row",
    arguments: [
      (true, true, true), (true, false, false), (false, true, false), (false, false, false),
      (true, nil, true), (false, nil, false), (nil, true, true), (nil, false, false),
      (nil, nil, true),
    ] as [(Bool?, Bool?, Bool)])
  func gate(_ will: Bool?, _ did: Bool?, _ passes: Bool) {
    #expect(LaunchAnswers(will: will, did: did).passGate == passes)
  }

  @Test(
    "whatever happens, every request has exactly one outcome and order holds",
    arguments: 1...300 as ClosedRange<UInt64>)
  func everyRequestHasOneOutcome(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var lifecycle = HandlerLifecycle(slot, style: Bool.random(using: &random) ? .scene : .delegate)
    var outcomes: [RequestID: Int] = [:]
    var deliveries: [RequestID] = []
    var asked: UInt64 = 0

    func take(_ effects: [HandlerLifecycle.Effect]) {
      for effect in effects {
        switch effect {
        case .succeed(let id, _), .fail(let id, _): outcomes[id, default: 0] += 1
        case .deliver(let request, _): deliveries.append(request.id)
        case .launch, .answerCheckIn, .disarmWatchdog, .stop, .forget, .foreground: break
        }
      }
    }

    for _ in 0..<200 {
      let current = lifecycle.state.instance ?? first
      let somebody = RequestID(UInt64.random(in: 1...max(1, asked), using: &random))
      let event: HandlerLifecycle.Event
      switch Int.random(in: 0..<21, using: &random) {
      case 0: event = .checkedIn(current)
      case 1:
        event = .checkedInByItself(remembers: [nil, true, false].randomElement(using: &random)!)
      case 2, 3: event = .finishedLaunching(current, LaunchAnswers(will: .random(using: &random)))
      case 4, 5: event = .answered(current, somebody, .handled(true))
      case 6, 7: event = .answered(current, deliveries.last ?? 1, .handled(true))
      case 8: event = .answered(current, deliveries.last ?? 1, .timedOut(seconds: 1))
      case 9: event = .connectionLost(current)
      case 10: event = .exited(current, how: "exited")
      case 11: event = .cancelled(somebody)
      case 12: event = .launchFailed(current, .launchFailed("no"))
      case 13: event = .watchdogFired(current, seconds: 1)
      case 14: event = .retired(current)
      case 15: event = .ranBefore(isOurs: .random(using: &random))
      case 16: event = .returned(current, remembers: .random(using: &random))
      case 17: event = .ownsName(current)
      case 18: event = .ownsNameByItself(ranBefore: .random(using: &random))
      default:
        asked += 1
        let kind: OpenRequest.Kind = Bool.random(using: &random) ? .url : .quickAction
        let mayHaveArrived = Int.random(in: 0..<5, using: &random) == 0
        event = .openRequested(
          OpenRequest(RequestID(asked), kind, mayHaveArrived: mayHaveArrived))
      }
      // A check-in is only reported for a process that has not checked in yet.
      if case .checkedIn = event, case .launching(let launching) = lifecycle.state,
        launching.phase == .awaitingFinish
      {
        continue
      }
      take(lifecycle.handle(event))
      #expect(outcomes.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    }
    while let instance = lifecycle.state.instance {
      take(lifecycle.handle(.exited(instance, how: "exited")))
    }
    #expect(outcomes.count == Int(asked), "seed \(seed)")
    #expect(deliveries == deliveries.sorted(), "seed \(seed)")
    #expect(Set(deliveries).count == deliveries.count, "seed \(seed)")
  }
}
