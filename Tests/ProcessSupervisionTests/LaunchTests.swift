import Host
import LaunchRules
import ProcessSupervision
import ScriptedProcesses
import Testing

@Suite("Launching processes", .timeLimit(.minutes(30)))
struct LaunchTests {
  @Test("A process is recorded, then reported; its token and number lead to its instance")
  func launch() throws {
    let world = SupervisorWorld()
    var recorded: [String] = []
    world.supervisor.recordStarts { id, _, unit, start in
      recorded.append("\(id.name) \(unit ?? "as a child")")
      start()
    }
    world.start(.photos, ["/bin/echo", "one"])
    let order = try #require(world.children.orders.first)
    #expect((order.executable, order.arguments) == ("/bin/echo", ["one"]))
    #expect(recorded == ["photos as a child"])
    #expect(world.supervisor[.photos] == nil)
    world.children.report(.running(ScriptedProcess(42, startTime: 7)), of: .photos)
    #expect(world.events == ["photos is 42", "photos started as 42"])
    #expect(world.supervisor[.photos]?.isOurs == true)
    #expect(world.supervisor.instance(running: 42) == .photos)
    #expect(world.supervisor.instance(ofProcess: (42, 7)) == .photos)
    #expect(world.supervisor.instance(ofProcess: (42, 8)) == nil)
    #expect(world.supervisor.take(token: order.token) == .photos)
    #expect(world.supervisor.take(token: order.token) == nil)
  }

  @Test("A start that is not recorded does not happen") func unrecorded() {
    let world = SupervisorWorld()
    world.supervisor.recordStarts { _, _, _, _ in }
    world.start(.photos)
    #expect(world.children.orders.isEmpty)
  }

  @Test("A program that is missing is a failed launch") func missing() {
    let world = SupervisorWorld()
    world.start(.photos, ["/nowhere/program"])
    #expect(
      world.events == [
        "photos failed: the program /nowhere/program of com.example.photos is missing"
          + " (OSStatus error -10827)"
      ])
  }

  @Test("A launch waits for its slot; one that is over gives its slot to the next") func slots() {
    let world = SupervisorWorld { $0.maximumLaunches = 1 }
    var begun: [String] = []
    let third = InstanceID(InstanceSlot(BundleIdentifier("com.example.third")!), ordinal: 1)
    for id in [InstanceID.photos, .music, third] {
      world.supervisor.launch(id) { begun.append(id.name) }
    }
    #expect(begun == ["photos"])
    world.supervisor.launchEnded(.music)  // it is not wanted any more
    world.supervisor.launchEnded(.photos)
    #expect(begun == ["photos", "third"])
  }

  @Test("A launch that takes long gives its slot to the next") func longLaunch() async throws {
    let world = SupervisorWorld {
      $0.maximumLaunches = 1
      $0.longestSlot = .milliseconds(1)
    }
    await withCheckedContinuation { continuation in
      world.supervisor.launch(.photos) {}
      world.supervisor.launch(.music) { continuation.resume() }
    }
    world.supervisor.launchEnded(.photos)
    world.supervisor.launchEnded(.music)
  }

  @Test("The watchdog of a launch fires unless it is disarmed") func watchdog() async throws {
    let world = SupervisorWorld { $0.timeout = 0 }
    world.start(.photos)
    world.start(.music)
    world.supervisor.disarmWatchdog(.photos)
    try await world.event("music timed out after 0 s")
    #expect(world.events == ["music timed out after 0 s"])
  }

  // MARK: Units

  @Test("What runs in a unit is reported between the unit's order and its settlement")
  func unit() throws {
    let world = SupervisorWorld { $0.launcher = .automatic }
    world.start(.photos)
    let unit = try #require(world.units.orders.first?.unit)
    world.units.report(.running(ScriptedProcess(42, unit: unit)), of: .photos)
    #expect(
      world.events == ["unit ordered", "photos is 42", "photos started as 42", "unit settled"])
    #expect(
      world.supervisor.instance(
        startedAs: ProcessAncestry(
          lineage: [(99, 1)], session: .init(number: 99, leaderStartTime: 1), unit: unit))
        == .photos)
    #expect(world.supervisor.descendants == .ofNobody)
  }

  @Test("A unit that systemd refuses is started as a child, and its slot and watchdog are kept")
  func refusedUnit() throws {
    let world = SupervisorWorld { $0.launcher = .automatic }
    world.start(.photos)
    world.units.report(.refused("no"), of: .photos)
    #expect(world.children.orders.map(\.unit) == [nil])
    world.children.report(.running(ScriptedProcess(42)), of: .photos)
    #expect(
      world.events == ["unit ordered", "unit settled", "photos is 42", "photos started as 42"])
  }

  @Test("Where only units are wanted, a refusal is a failed launch") func onlyUnits() {
    let world = SupervisorWorld { $0.launcher = .systemd }
    world.start(.photos)
    world.units.report(.refused("no"), of: .photos)
    #expect(
      world.events == [
        "unit ordered",
        "photos failed: systemd refused the unit: no (OSStatus error -10810)",
        "unit settled",
      ])
    #expect(world.children.orders.isEmpty)
  }

  @Test("A launch that ends before its process runs is taken back once") func withdrawn() {
    let world = SupervisorWorld { $0.launcher = .automatic }
    world.start(.photos)
    world.supervisor.end(.photos)
    world.supervisor.end(.photos)
    #expect(world.units.withdrawn == [.photos])
    world.units.report(.withdrawn, of: .photos)
    #expect(world.events == ["unit ordered", "photos withdrawn", "unit settled"])
  }

  // MARK: Who a process is

  @Test("Descendants and the session of a process lead to its instance, also when it has ended")
  func ancestry() {
    let world = SupervisorWorld()
    world.start(.photos)
    world.children.report(.running(ScriptedProcess(42, startTime: 7)), of: .photos)
    let child = ProcessAncestry(
      lineage: [(50, 9), (42, 7)], session: .init(number: 1, leaderStartTime: 1))
    let stranger = ProcessAncestry(
      lineage: [(50, 9), (42, 8)], session: .init(number: 1, leaderStartTime: 1))
    let orphan = ProcessAncestry(
      lineage: [(50, 9)], session: .init(number: 42, leaderStartTime: nil))
    #expect(world.supervisor.instance(startedAs: child) == .photos)
    #expect(world.supervisor.instance(startedAs: stranger) == nil)
    #expect(world.supervisor.instance(startedAs: orphan) == .photos)
    world.supervisor.remove(.photos)
    #expect(world.supervisor.instance(startedAs: child) == nil)
    #expect(world.supervisor.instance(startedAs: orphan) == nil)
    #expect(world.supervisor.application(startedAs: orphan)?.text == "com.example.photos")
    #expect(
      world.supervisor.descendants
        == .of(InstanceID.photos.slot.application, isSandboxed: true))
  }
}
