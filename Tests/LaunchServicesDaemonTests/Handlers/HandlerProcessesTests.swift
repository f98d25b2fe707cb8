import BusContract
import DBus
import DBusMainLoop
import DaemonSettings
import Glibc
import Host
import LaunchRules
import ProcessSupervision
import Records
import ScriptedProcesses
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("Processes of handlers", .timeLimit(.minutes(30)))
struct HandlerProcessesTests {
  private static let activatable = "<key>DBusActivatable</key><true/>"

  @Test("A new process gets what its opener gave, and the activation token once") func options()
    async throws
  {
    let world = try await DaemonWorld()
    let request = try world.open("photos:1") {
      $0.arguments = ["--album", "1"]
      $0.environment = ["ALBUM": "1"]
      $0.activationToken = "token"
    }
    _ = try await world.ordered()
    let launch = world.backend.orders[0].launch
    #expect(launch.arguments == ["--album", "1"])
    #expect(launch.environment == ["ALBUM": "1"])
    #expect(launch.activationToken == "token")
    #expect(launch.logSubject["request"] == "\(request.number)")
    #expect(world.requests.opens.takeActivationToken(request) == nil)
  }

  @Test("An application with a bus name gets the token with its URL; only a program gets arguments")
  func activatable() async throws {
    let world = try await DaemonWorld(keys: Self.activatable)
    world.serveBus { _ in nil }
    world.handlers.freedesktop.start()
    let request = try world.open("photos:1") {
      $0.arguments = ["--album"]
      $0.activationToken = "token"
    }
    _ = try await world.ordered()
    let launch = world.backend.orders[0].launch
    #expect(launch.arguments == ["--album"])
    #expect(launch.activationToken == nil)
    #expect(world.requests.opens.takeActivationToken(request) == "token")
  }

  @Test("An application that was unregistered while its URL waited fails the launch")
  func unregistered() async throws {
    let world = try await DaemonWorld()
    let id = InstanceID(
      InstanceSlot(try #require(BundleIdentifier("com.example.none"))), ordinal: 1)
    var failures: [String] = []
    world.handlers.processes.onFailure = {
      failures.append("\($0.slot.application) \($1.sentence)")
    }
    world.handlers.processes.startProgram(id, for: nil)
    #expect(
      failures == [
        "com.example.none com.example.none was unregistered while its URL waited"
      ])
    #expect(world.backend.orders.isEmpty)
  }

  @Test("With the setting invoked, the opener is answered as soon as the program runs")
  func invoked() async throws {
    let world = try await DaemonWorld { $0.delivery.completion = .invoked }
    try world.open("photos:1")
    let id = try await world.ordered()
    world.backend.report(.running(ScriptedProcess(42)), of: id)
    #expect(try await world.answers.next() == "photos:1 unacknowledged cold")
  }

  @Test("A process is told to end; of an activation by the bus, only the wait ends") func end()
    async throws
  {
    let world = try await DaemonWorld()
    try world.open("photos:1")
    let id = try await world.ordered()
    let process = ScriptedProcess(42)
    world.backend.report(.running(process), of: id)
    #expect(world.handlers.processes.end(id))
    #expect(process.signals.contains(SIGTERM))

    let other = try await DaemonWorld(keys: Self.activatable)
    let members = EventStream<String>()
    // The bus does not answer.
    other.sockets.other.onCall = { [unowned other] call in
      members.add(call.member)
      other.kept.append(call)
    }
    other.handlers.freedesktop.start()
    try other.open("photos:1")
    while try await members.next() != "StartServiceByName" {}
    let activation = try #require(
      other.coordinator.lifecycles.states(of: DaemonWorld.photos).first?.instance)
    #expect(!other.handlers.processes.end(activation))
    #expect(other.handlers.processes.end(activation))
    #expect(other.backend.orders.isEmpty)
  }

  @Test("The next daemon finds the process that took the place of another, and none that ended")
  func record() async throws {
    let world = try await DaemonWorld()
    let processes = world.handlers.processes
    let photos = InstanceID(InstanceSlot(DaemonWorld.photos), ordinal: 1)
    let music = InstanceID(
      InstanceSlot(try #require(BundleIdentifier("com.example.music"))), ordinal: 1)
    for (id, pid) in [(photos, Int32(42)), (music, 44)] {
      world.handlers.supervisor.add(id, pid: pid, startTime: 1)
    }
    let old = try #require(world.handlers.supervisor[photos])
    var new = old
    new.pid = 43
    processes.continued(photos, in: new, after: old)
    let ended = processes.ended(music, .exited(code: 0))
    #expect(ended?.pid == 44)
    #expect(world.handlers.supervisor[music] == nil)
    #expect(world.recordedAfterEnd().survivors.map(\.pid) == [43])
  }
}

extension DaemonWorld {
  /// What the next daemon finds in the record, after this one has ended.
  func recordedAfterEnd() -> RecordedBefore {
    requests.close()
    let next = RequestStore(
      path: folder + "/state/requests.sqlite", limit: 100, age: 1000,
      clock: RecordClock(now: { 0 }, sinceBoot: { 0 }),
      remark: { _ in })
    defer { next.close() }
    return next.start(reserving: 10)
  }
}
