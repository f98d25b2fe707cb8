import LaunchRules
import Testing

@Suite("A launch in the background") struct BackgroundLaunchTests {
  @Test("stays there when its open was cancelled before the check-in", arguments: [true, false])
  func cancelled(activates: Bool) throws {
    let photos = Sample.app("photos")
    let registry = Registry(policy: .lastInstalled)
    var lifecycles = LifecycleTable(instanceLimit: 32)
    let started = try lifecycles.open(OpenRequest(1, activates: activates), with: photos)
    let instance = try #require(
      started.lazy.compactMap { if case .launch(let id, _) = $0 { id } else { nil } }.first)
    _ = lifecycles.cancel(1, in: registry)
    _ = lifecycles.handle(
      .checkedIn(instance, takesConnectionOptions: false), of: instance, in: registry)
    let effects = lifecycles.handle(
      .finishedLaunching(instance, LaunchAnswers()), of: instance, in: registry)
    #expect(effects.contains(.foreground(.show(instance, .active))) == activates)
  }
}
