import DBus
import Glibc
import Host
import LaunchRules
import ProcessSupervision
import ScriptedProcesses
import Testing

@Suite("Real processes", .timeLimit(.minutes(30)))
struct ShellTests {
  private func shell(_ script: String) -> [String] { ["/bin/sh", "-c", script] }

  @Test("The exit of a child is reported with its code, and it had its own session and token")
  func exits() async throws {
    let world = SupervisorWorld(startsProcesses: true)
    let hasToken = "test -n \"$LAUNCH_SERVICES_TOKEN\""
    let readSession = "read _ _ _ _ _ session _ </proc/$$/stat"
    world.start(.photos, shell("\(hasToken) && \(readSession) && exit $((session == $$ ? 3 : 4))"))
    let process = try #require(world.supervisor[.photos])
    #expect(process.startTime != nil)
    try await world.event("photos exited with code 3")
    #expect(world.supervisor.instance(running: process.pid) == .photos)
  }

  @Test("A child that ends at SIGTERM is not killed; one that ignores it is")
  func ends() async throws {
    let world = SupervisorWorld(startsProcesses: true) { $0.killDelay = .milliseconds(200) }
    world.start(.photos, ["/bin/sleep", "1000"])
    world.supervisor.end(.photos)
    try await world.event("photos was ended by SIGTERM (signal 15)")

    var pipe: [Int32] = [0, 0]
    #expect(unsafe Glibc.pipe(&pipe) == 0)
    let output = OwnedDescriptor(adopting: pipe[0])
    var launch = ApplicationLaunch(
      .installed(
        InstanceID.music.slot.application,
        shell("trap '' TERM; echo ready; exec sleep 1000")))
    launch.standardOutput = OwnedDescriptor(adopting: pipe[1])
    world.supervisor.start(.music, launch)
    var byte: UInt8 = 0
    // It has set its trap when it writes.
    #expect(unsafe read(output.number, &byte, 1) == 1)
    world.supervisor.end(.music)
    try await world.event("music was ended by SIGKILL (signal 9)")
  }

  @Test("A process that an earlier daemon started is watched; nothing is adopted that has ended")
  func adopts() async throws {
    let earlier = try ChildProcess(
      Launch(executable: "/bin/sleep", arguments: ["1000"]), onExit: { _ in })
    let startTime = try #require(ProcessDetails(of: earlier.pid)?.startTime)
    let world = SupervisorWorld(startsProcesses: true)
    world.supervisor.adopt(
      .music, pid: earlier.pid, startTime: startTime + 1, isOurs: true, isSuspended: false,
      patience: 100)
    #expect(world.supervisor[.music]?.isOurs == false)
    world.supervisor.remove(.music)
    world.supervisor.adopt(
      .photos, pid: earlier.pid, startTime: startTime, isOurs: true, isSuspended: false,
      patience: 0)
    #expect(world.supervisor[.photos]?.isOurs == true)
    try await world.event("photos timed out after 0 s")
    world.supervisor.end(.photos)
    try await world.event("photos was ended by SIGTERM (signal 15)")
  }

  /// A process can end between the moment when the record is read and the adoption. Its instance had no process then,
  /// and a second process was started beside the one that had checked in.
  @Test("When the process has ended, the one that checked in for it is adopted")
  func adoptsSuccessor() async throws {
    let sleeper = try ChildProcess(
      Launch(executable: "/bin/sleep", arguments: ["1000"]), onExit: { _ in })
    let startTime = try #require(ProcessDetails(of: sleeper.pid)?.startTime)
    let world = SupervisorWorld(startsProcesses: true)
    world.supervisor.adopt(
      .photos, pid: sleeper.pid, startTime: startTime - 1, isOurs: true, isSuspended: false,
      successor: .init(pid: sleeper.pid, startTime: startTime), patience: 100)
    let adopted = world.supervisor[.photos]
    #expect(adopted?.isOurs == true)
    #expect(adopted?.pid == sleeper.pid)
    #expect(adopted?.successor == nil)
    world.supervisor.end(.photos)
    try await world.event("photos was ended by SIGTERM (signal 15)")
  }

  @Test("A session that an earlier daemon created is known to be of its application")
  func remembersSessions() throws {
    let world = SupervisorWorld()
    world.supervisor.remember(session: 70, startTime: 7, of: InstanceID.photos.slot.application)
    func owner(leaderStartTime: UInt64?) -> BundleIdentifier? {
      world.supervisor.application(
        startedAs: ProcessAncestry(
          lineage: [(99, 9)], session: .init(number: 70, leaderStartTime: leaderStartTime),
          unit: nil))
    }
    #expect(owner(leaderStartTime: 7) == InstanceID.photos.slot.application)
    #expect(owner(leaderStartTime: nil) == InstanceID.photos.slot.application)
    #expect(owner(leaderStartTime: 8) == nil)
  }

  @Test("A program that cannot run is a failed launch") func cannotRun() {
    let world = SupervisorWorld(startsProcesses: true)
    world.start(.photos, ["/dev/null"])
    #expect(
      world.events == [
        "photos failed: /dev/null: cannot run it: Permission denied (error 13) (OSStatus error -10810)"
      ])
    #expect(world.supervisor[.photos] == nil)
  }

  @Test("The opener's variables cannot change which code runs, or who the process is")
  func environment() throws {
    let world = SupervisorWorld()
    var launch = ApplicationLaunch(
      .installed(InstanceID.photos.slot.application, ["/bin/true"]))
    launch.environment = [
      "LD_PRELOAD": "/tmp/x.so", "LAUNCH_SERVICES_BUNDLE_IDENTIFIER": "com.example.bank",
      "COLOUR": "red",
    ]
    launch.activationToken = "token-1"
    world.supervisor.start(.photos, launch)
    let environment = try #require(world.children.orders.first?.environment)
    #expect(environment["LD_PRELOAD"] == nil)
    #expect(!environment.values.contains("com.example.bank"))
    #expect(environment["COLOUR"] == "red")
    #expect(environment["XDG_ACTIVATION_TOKEN"] == "token-1")
  }
}
