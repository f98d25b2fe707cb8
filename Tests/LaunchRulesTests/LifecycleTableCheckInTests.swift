import LaunchRules
import Testing

@Suite("Check-ins and lifecycles") struct LifecycleTableCheckInTests {
  private let photos = Sample.app("photos", on: .macOS)
  private let mail = Sample.app("mail", on: .macOS)
  private let phone = Sample.app("phone")
  private var registry: Registry { Sample.registry([photos, mail, phone]) }

  private func returning(wasActive: Bool) -> LifecycleTable.Return {
    LifecycleTable.Return(remembers: true, wasActive: wasActive)
  }

  private func state(
    of application: InstalledApplication, _ lifecycles: LifecycleTable
  ) -> [String] {
    lifecycles.states(of: application.identifier).map(lifecycles.stateName)
  }

  private func refusal(
    of decision: CheckInRule.Decision, _ lifecycles: inout LifecycleTable
  ) -> LifecycleTable.CheckInRefusal? {
    do throws(LifecycleTable.CheckInRefusal) {
      _ = try lifecycles.checkIn(decision, in: registry)
      return nil
    } catch {
      return error
    }
  }

  /// Launches the application for a request, up to its check-in.
  private func launch(
    _ application: InstalledApplication, _ lifecycles: inout LifecycleTable, for request: RequestID
  ) throws -> InstanceID {
    let effects = try lifecycles.open(OpenRequest(request), with: application)
    return try #require(
      effects.compactMap { if case .launch(let id, _) = $0 { id } else { nil } }.first)
  }

  private func finish(_ instance: InstanceID, _ lifecycles: inout LifecycleTable) throws {
    _ = try lifecycles.checkIn(.expected(instance), in: registry)
    _ = lifecycles.handle(
      .finishedLaunching(instance, LaunchAnswers()), of: instance, in: registry)
  }

  @Test(
    "R5.1 a process that served the daemon before this one is active again if it was, and nobody else is",
    arguments: [true, false], [true, false])
  func returns(_ wasActive: Bool, _ isOurs: Bool) throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    for (application, wanted) in [
      (photos, wasActive ? "active" : "background"), (mail, wasActive ? "background" : "active"),
    ] {
      let back = lifecycles.expect(
        application.identifier, slot: 0, isOurs: isOurs, in: registry)
      let instance = try #require(back)
      #expect(lifecycles.isExpectedBack(instance))
      #expect(state(of: application, lifecycles) == ["returning"])
      // The second one says that it was in front, too.
      let manner = returning(wasActive: application == mail || wasActive)
      let (id, effects) = try lifecycles.checkIn(
        .expected(instance), comingBack: manner, in: registry)
      #expect(id == instance && !lifecycles.isExpectedBack(instance))
      #expect(effects.contains(.answerCheckIn(instance, reason: nil)))
      #expect(state(of: application, lifecycles) == [wanted])
    }
  }

  @Test("R5.1 the same for a process that nobody expects", arguments: [true, false])
  func returnsUnexpected(_ wasActive: Bool) throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    _ = try lifecycles.checkIn(
      .cameByItself(photos.identifier), comingBack: returning(wasActive: wasActive), in: registry)
    #expect(state(of: photos, lifecycles) == [wasActive ? "active" : "background"])
    _ = try lifecycles.checkIn(
      .cameByItself(mail.identifier), comingBack: returning(wasActive: true), in: registry)
    #expect(state(of: mail, lifecycles) == [wasActive ? "background" : "active"])
  }

  @Test("a process that was just started is launched, whatever it says about an earlier daemon")
  func launched() throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    let instance = try launch(photos, &lifecycles, for: 1)
    #expect(!lifecycles.isExpectedBack(instance))
    let (_, effects) = try lifecycles.checkIn(
      .expected(instance), comingBack: returning(wasActive: true), in: registry)
    #expect(effects == [.answerCheckIn(instance, reason: OpenRequest(1))])
    // One that is expected back and was launched anew says nothing about an earlier daemon.
    let back = lifecycles.expect(mail.identifier, slot: 0, isOurs: true, in: registry)
    let old = try #require(back)
    let (_, answer) = try lifecycles.checkIn(.expected(old), in: registry)
    #expect(answer == [.answerCheckIn(old, reason: nil)])
    #expect(state(of: mail, lifecycles) == ["launching"])
  }

  @Test("a second check-in of a process says that it runs already") func twice() throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    let instance = try launch(photos, &lifecycles, for: 1)
    _ = try lifecycles.checkIn(.expected(instance), in: registry)
    #expect(refusal(of: .expected(instance), &lifecycles) == .alreadyRunning(instance))
    _ = lifecycles.handle(.connectionLost(instance), of: instance, in: registry)
    #expect(state(of: photos, lifecycles) == ["ending"])
    #expect(refusal(of: .expected(instance), &lifecycles) == .alreadyRunning(instance))
  }

  @Test("a check-in for a launch that is over is refused, and says whether another process runs")
  func late() throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    let first = try launch(photos, &lifecycles, for: 1)
    _ = lifecycles.handle(.exited(first, how: "x"), of: first, in: registry)
    #expect(
      refusal(of: .expected(first), &lifecycles)
        == .notPermitted("the launch this check-in belongs to is over"))
    let second = try launch(photos, &lifecycles, for: 2)
    #expect(
      refusal(of: .expected(first), &lifecycles)
        == .notPermitted("the launch this check-in belongs to is over"))
    try finish(second, &lifecycles)
    #expect(refusal(of: .expected(first), &lifecycles) == .alreadyRunning(second))
  }

  @Test(
    "R6.11 a second process is an instance of its own on macOS, unless the application forbids it")
  func byItself() throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    for application in [photos, phone] {
      let (first, _) = try lifecycles.checkIn(
        .cameByItself(application.identifier), in: registry)
      _ = lifecycles.handle(
        .finishedLaunching(first, LaunchAnswers()), of: first, in: registry)
    }
    let (second, _) = try lifecycles.checkIn(.cameByItself(photos.identifier), in: registry)
    #expect(second.slot.number == 1)
    let running = try #require(lifecycles.states(of: phone.identifier).first?.instance)
    #expect(
      refusal(of: .cameByItself(phone.identifier), &lifecycles) == .alreadyRunning(running))
    var single = photos
    single.declaration.prohibitsMultipleInstances = true
    #expect(throws: LifecycleTable.CheckInRefusal.self) {
      try lifecycles.checkIn(
        .cameByItself(photos.identifier), in: Sample.registry([single]))
    }
  }

  @Test("an open that is being delivered is cancelled once") func cancelledOnce() throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    let instance = try launch(photos, &lifecycles, for: 1)
    try finish(instance, &lifecycles)
    let cancelled = lifecycles.cancel(1, in: registry)
    #expect(cancelled.count == 1)
    guard case .fail(1, .cancelled)? = cancelled.first else {
      Issue.record("\(cancelled)")
      return
    }
    #expect(lifecycles.cancel(1, in: registry) == [])
    #expect(lifecycles.handle(.cancelled(1), of: instance, in: registry) == [])
    // The answer of the handler is for nobody any more.
    let answered = lifecycles.handle(
      .answered(instance, 1, .handled(true)), of: instance, in: registry)
    #expect(answered == [.foreground(.show(instance, .active))])
  }

  @Test("nobody is expected who is not installed, or where a process is") func expected() throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    let unknown = lifecycles.expect(Sample.id("nosuch"), slot: 0, isOurs: true, in: registry)
    #expect(unknown == nil)
    _ = try launch(photos, &lifecycles, for: 1)
    let taken = lifecycles.expect(photos.identifier, slot: 0, isOurs: true, in: registry)
    #expect(taken == nil)
    let other = lifecycles.expect(photos.identifier, slot: 3, isOurs: true, in: registry)
    #expect(other?.slot.number == 3)
    // Numbers are not used again.
    let (new, _) = try lifecycles.checkIn(.cameByItself(mail.identifier), in: registry)
    try #require(new.slot.number == 0)
    _ = lifecycles.handle(.finishedLaunching(new, LaunchAnswers()), of: new, in: registry)
    #expect(
      try lifecycles.checkIn(.cameByItself(mail.identifier), in: registry).0.slot.number == 4)
  }
}
