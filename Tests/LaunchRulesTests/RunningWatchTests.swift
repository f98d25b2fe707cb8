import LaunchRules
import Testing

/// Applications that come and go (R6.11), and opens of applications themselves (R6.15).
@Suite struct RunningWatchTests {
  private static let identifier = BundleIdentifier("com.example.photos")!
  private let application = InstalledApplication(
    declaration: ApplicationDeclaration(identifier: identifier), propertyList: "/a", folder: "/")

  private var registry: Registry {
    var registry = Registry()
    registry.install(application)
    return registry
  }

  private func instance(_ lifecycles: LifecycleTable) -> InstanceID? {
    lifecycles.states(of: Self.identifier).first?.instance
  }

  @Test("a launch is told when it begins and when it is over, an end when it had launched")
  func life() throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    var watch = RunningWatch([])
    _ = try lifecycles.open(OpenRequest(1), with: application)
    let first = try #require(instance(lifecycles))
    #expect(watch.update(lifecycles.runningApplications) == [.willLaunch(first)])
    #expect(watch.update(lifecycles.runningApplications) == [])
    _ = lifecycles.handle(.checkedIn(first), of: first, in: registry)
    #expect(watch.update(lifecycles.runningApplications) == [])
    _ = lifecycles.handle(.finishedLaunching(first, LaunchAnswers()), of: first, in: registry)
    #expect(watch.update(lifecycles.runningApplications) == [.launched(first)])
    _ = lifecycles.handle(.exited(first, how: "x"), of: first, in: registry)
    #expect(watch.update(lifecycles.runningApplications) == [.terminated(first)])
    _ = try lifecycles.open(OpenRequest(2), with: application)
    let second = try #require(instance(lifecycles))
    #expect(watch.update(lifecycles.runningApplications) == [.willLaunch(second)])
    _ = lifecycles.handle(.exited(second, how: "x"), of: second, in: registry)
    #expect(watch.update(lifecycles.runningApplications) == [])
  }

  @Test("one that ran already, or served the daemon before this one, only ends")
  func before() throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    let back = lifecycles.expect(Self.identifier, slot: 0, isOurs: true, in: registry)
    let old = try #require(back)
    var watch = RunningWatch([])
    #expect(watch.update(lifecycles.runningApplications) == [])
    _ = lifecycles.handle(.returned(old, remembers: true), of: old, in: registry)
    #expect(watch.update(lifecycles.runningApplications) == [])
    var later = RunningWatch(lifecycles.runningApplications)
    _ = lifecycles.handle(.exited(old, how: "x"), of: old, in: registry)
    #expect(watch.update(lifecycles.runningApplications) == [.terminated(old)])
    #expect(later.update(lifecycles.runningApplications) == [.terminated(old)])
  }

  @Test(
    "R6.15 an application that was opened itself is launched; no launch method can refuse that",
    arguments: [DeliveryStyle.delegate, .scene])
  func cold(style: DeliveryStyle) {
    var lifecycle = HandlerLifecycle(InstanceSlot(Self.identifier), style: style)
    let request = OpenRequest(1, .application)
    let id = InstanceID(InstanceSlot(Self.identifier), ordinal: 1)
    #expect(lifecycle.handle(.openRequested(request)) == [.launch(id, reason: request)])
    #expect(
      lifecycle.handle(.checkedIn(id)) == [.answerCheckIn(id, reason: request, style: style)])
    #expect(
      lifecycle.handle(.finishedLaunching(id, LaunchAnswers(will: false, did: false))) == [
        .disarmWatchdog(id), .succeed(1, OpenOutcome(.cold, .delivered, handled: true)),
      ])
    #expect(
      lifecycle.handle(.openRequested(OpenRequest(2, .application)))
        == [.deliver(OpenRequest(2, .application), to: id)])
  }
}
