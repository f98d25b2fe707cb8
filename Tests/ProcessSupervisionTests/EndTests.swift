import Glibc
import Host
import LaunchRules
import ProcessSupervision
import ScriptedProcesses
import Testing

@Suite("Suspending and ending processes", .timeLimit(.minutes(30)))
struct EndTests {
  /// A world in which `photos` runs.
  private func running(
    unit: String? = nil, _ change: (inout SupervisionSettings) -> Void = { _ in }
  ) -> (SupervisorWorld, ScriptedProcess) {
    let world = SupervisorWorld {
      $0.launcher = unit == nil ? .spawn : .systemd
      change(&$0)
    }
    let process = ScriptedProcess(42, unit: unit)
    world.start(.photos)
    (unit == nil ? world.children : world.units).report(.running(process), of: .photos)
    return (world, process)
  }

  private func exit(_ world: SupervisorWorld, _ code: Int32 = 0) {
    world.children.report(.ended, of: .photos)
    world.children.report(.exited(.exited(code: code)), of: .photos)
  }

  @Test("An exit is reported, and the process is known until it is removed") func exits() {
    let (world, process) = running()
    exit(world, 3)
    #expect(world.events.last == "photos exited with code 3")
    #expect(world.supervisor[.photos]?.hasEnded == true)
    #expect(world.supervisor.remove(.photos)?.pid == 42)
    #expect(process.isReleased)
    #expect(world.supervisor[.photos] == nil)
    exit(world, 4)
    #expect(world.events.last == "photos exited with code 3")
  }

  @Test("One SIGTERM and then SIGKILL are sent, however often the process is told to end")
  func killsInTime() async {
    let (world, process) = running { $0.killDelay = .milliseconds(100) }
    await withCheckedContinuation { continuation in
      process.onSignal = { if $0 == SIGKILL { continuation.resume() } }
      endAgainAndAgain(world, process)
    }
    #expect(process.signals == [SIGTERM, SIGCONT, SIGKILL])
    #expect(world.supervisor[.photos]?.wasTerminated == true)
  }

  private func endAgainAndAgain(_ world: SupervisorWorld, _ process: ScriptedProcess) {
    guard !process.signals.contains(SIGKILL) else { return }
    world.supervisor.end(.photos)
    process.isRunning = false
    let next = Deadline(after: .milliseconds(10)) { self.endAgainAndAgain(world, process) }
    held.append(next)
  }

  private let held = HeldDeadlines()

  @Test("A process that had ended by itself was not terminated") func endedByItself() {
    let (world, process) = running()
    process.isRunning = false
    world.supervisor.end(.photos)
    #expect(world.supervisor[.photos]?.wasTerminated == false)
  }

  // MARK: Successors

  @Test("A process that checked in for one that has ended continues it, and its own end counts")
  func successor() {
    let (world, process) = running()
    world.supervisor.recordSuccessor(of: .photos, pid: 43, startTime: 2)
    #expect(!world.supervisor.continueInSuccessor(.photos))
    world.children.report(.ended, of: .photos)
    #expect(world.events.last == "photos ended")
    #expect(world.supervisor.continueInSuccessor(.photos))
    #expect(world.events.last == "photos went from 42 to 43")
    world.children.report(.exited(.exited(code: 0)), of: .photos)
    #expect(world.events.last == "photos went from 42 to 43")
    #expect(world.supervisor.instance(running: 42) == nil)
    #expect(world.supervisor.instance(ofProcess: (43, 2)) == .photos)
    process.successors[0].report(.ended)
    process.successors[0].report(.exited(.unknown))
    #expect(world.events.last == "photos ended in an unknown way")
  }

  @Test("A successor of a process that was told to end can be told to end, too")
  func successorEnds() {
    let (world, process) = running()
    world.supervisor.recordSuccessor(of: .photos, pid: 43, startTime: 2)
    world.supervisor.end(.photos)
    world.children.report(.ended, of: .photos)
    #expect(world.supervisor.continueInSuccessor(.photos))
    #expect(world.supervisor[.photos]?.wasTerminated == false)
    world.supervisor.end(.photos)
    #expect(process.successors[0].signals == [SIGTERM, SIGCONT])
    #expect(world.supervisor[.photos]?.wasTerminated == true)
  }

  @Test("A successor that checks in while systemd is asked how the process ended still counts")
  func lateSuccessor() {
    let (world, _) = running(unit: "app-x.service")
    world.units.report(.ended, of: .photos)
    #expect(world.supervisor[.photos]?.hasEnded == true)
    world.supervisor.recordSuccessor(of: .photos, pid: 43, startTime: 2)
    #expect(world.supervisor.continueInSuccessor(.photos))
    world.units.report(.exited(.exited(code: 0)), of: .photos)
    #expect(world.events.last == "photos went from 42 to 43")
    #expect(world.supervisor[.photos]?.hasEnded == false)
  }

  // MARK: Suspension

  @Test("A child is suspended and resumed by signals, and that is recorded") func child() {
    let (world, process) = running()
    world.supervisor.suspend(.photos)
    #expect(world.events.last == "photos is 42, suspended")
    world.supervisor.resume(.photos)
    #expect(world.events.last == "photos is 42")
    #expect(process.signals == [SIGSTOP, SIGCONT])
  }

  @Test("A unit is frozen; it gets SIGSTOP where the service manager cannot") func unit() {
    let (world, process) = running(unit: "app-x.service")
    world.supervisor.suspend(.photos)
    #expect(process.freezings.map(\.isFrozen) == [true])
    process.freezings[0].completion(false)
    #expect(process.signals == [SIGSTOP])
  }

  @Test("A process that is to end is thawed first") func thaws() {
    let (world, process) = running(unit: "app-x.service")
    world.supervisor.suspend(.photos)
    process.freezings[0].completion(true)
    world.supervisor.end(.photos)
    #expect(process.freezings.map(\.isFrozen) == [true, false])
    #expect(process.signals == [SIGTERM, SIGCONT])
  }

  @Test("A unit that is being frozen when the daemon stops is thawed") func stops() {
    let (world, _) = running(unit: "app-x.service")
    world.supervisor.suspend(.photos)
    world.supervisor.stop()
    #expect(world.units.thawed == ["app-x.service"])
  }

  @Test("A process that waits in the background is reported when its time has come")
  func suspensionDue() async throws {
    let (world, _) = running { $0.suspendAfter = 0 }
    world.supervisor.awaitSuspension(.photos)
    try await world.event("photos is to be suspended")
  }
}

/// Keeps timers until the test is over.
final class HeldDeadlines {
  private var deadlines: [Deadline] = []
  func append(_ deadline: Deadline) { deadlines.append(deadline) }
}
