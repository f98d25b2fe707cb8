import LaunchRules
import Testing

/// Applications that come and go (R6.11), and opens of applications themselves (R6.15).
@Suite struct RunningWatchTests {
  private static let identifier = BundleIdentifier("com.example.photos")!
  private let application = InstalledApplication(
    declaration: ApplicationDeclaration(identifier: identifier), propertyList: "/a", folder: "/")

  private func dispatcher() -> Dispatcher {
    var registry = Registry()
    registry.install(application)
    return Dispatcher(registry: registry)
  }

  private func instance(_ dispatcher: Dispatcher) -> InstanceID? {
    dispatcher.states(of: Self.identifier).first?.instance
  }

  @Test("a launch is told when it begins and when it is over, an end when it had launched")
  func life() throws {
    var dispatcher = dispatcher()
    var watch = RunningWatch([])
    _ = try dispatcher.open(OpenRequest(1), with: application)
    let first = try #require(instance(dispatcher))
    #expect(watch.update(dispatcher.runningApplications) == [.willLaunch(first)])
    #expect(watch.update(dispatcher.runningApplications) == [])
    _ = dispatcher.handle(.checkedIn(first), of: first)
    #expect(watch.update(dispatcher.runningApplications) == [])
    _ = dispatcher.handle(.finishedLaunching(first, LaunchAnswers()), of: first)
    #expect(watch.update(dispatcher.runningApplications) == [.launched(first)])
    _ = dispatcher.handle(.exited(first, how: "x"), of: first)
    #expect(watch.update(dispatcher.runningApplications) == [.terminated(first)])
    _ = try dispatcher.open(OpenRequest(2), with: application)
    let second = try #require(instance(dispatcher))
    #expect(watch.update(dispatcher.runningApplications) == [.willLaunch(second)])
    _ = dispatcher.handle(.exited(second, how: "x"), of: second)
    #expect(watch.update(dispatcher.runningApplications) == [])
  }

  @Test("one that ran already, or served the daemon before this one, only ends")
  func before() throws {
    var dispatcher = dispatcher()
    let back = dispatcher.expect(Self.identifier, seat: 0, isOurs: true)
    let old = try #require(back)
    var watch = RunningWatch([])
    #expect(watch.update(dispatcher.runningApplications) == [])
    _ = dispatcher.handle(.returned(old, remembers: true), of: old)
    #expect(watch.update(dispatcher.runningApplications) == [])
    var later = RunningWatch(dispatcher.runningApplications)
    _ = dispatcher.handle(.exited(old, how: "x"), of: old)
    #expect(watch.update(dispatcher.runningApplications) == [.terminated(old)])
    #expect(later.update(dispatcher.runningApplications) == [.terminated(old)])
  }

  @Test(
    "R6.15 an application that was opened itself is launched; no launch method can refuse that",
    arguments: [DeliveryStyle.delegate, .scene])
  func cold(style: DeliveryStyle) {
    var lifecycle = HandlerLifecycle(Seat(Self.identifier), style: style)
    let request = OpenRequest(1, .application)
    let id = InstanceID(Seat(Self.identifier), ordinal: 1)
    #expect(lifecycle.handle(.openRequested(request)) == [.launch(id, reason: request)])
    #expect(lifecycle.handle(.checkedIn(id)) == [.answerCheckIn(id, reason: request)])
    #expect(
      lifecycle.handle(.finishedLaunching(id, LaunchAnswers(will: false, did: false))) == [
        .disarmWatchdog(id), .succeed(1, OpenOutcome(.cold, .delivered, handled: true)),
      ])
    #expect(
      lifecycle.handle(.openRequested(OpenRequest(2, .application)))
        == [.deliver(OpenRequest(2, .application), to: id)])
  }
}
