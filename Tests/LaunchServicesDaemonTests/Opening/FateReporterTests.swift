import BusContract
import DBus
import Foundation
import Host
import LaunchRules
import Records
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("What becomes of opens", .timeLimit(.minutes(30)))
struct FateReporterTests {
  @Test("An opener is told once: of the invocation, and not of the failure that follows")
  func once() async throws {
    let world = try await DaemonWorld()
    let id = try world.open("photos:1")
    world.requests.fates.invoked(id, .cold)
    #expect(try await world.answers.next() == "photos:1 unacknowledged cold")
    world.requests.fates.fail(id, .handlerExited("the application has ended"), unit: nil)
    // It has its fate: what comes later changes nothing.
    world.requests.fates.succeed(id, OpenOutcome(.cold, .delivered, handled: true))
    try world.open("photos:2")
    world.coordinator.stop()
    world.requests.fates.cutOffAll()
    #expect(try await world.answers.next().hasPrefix("photos:2 ShuttingDown: "))
    #expect(
      try await world.recorded() == ["photos:2 ShuttingDown", "photos:1 HandlerExited"])
  }

  @Test("All calls that wait for a request get its receipt, with the steps of its way")
  func receipt() async throws {
    let world = try await DaemonWorld()
    let id = try world.open("photos:1", name: "one")
    #expect(
      world.requests.opens.join(
        id, PendingOpen.Wait(reply: world.reply("again"), cancellationID: nil)))
    world.requests.opens.record(id, "delivering", pid: 42)
    world.requests.fates.succeed(id, OpenOutcome(.warm, .delivered, handled: true))
    #expect(try await world.answers.next() == "photos:1 delivered warm")
    #expect(try await world.answers.next() == "again delivered warm")
    let entry = try #require(await world.entries().first)
    #expect(entry.trail.map(\.state) == ["resolved", "delivering", "delivered"])
    #expect((entry.pid, entry.handled, entry.launch) == (42, true, "warm"))
    #expect(world.requests.opens[id] == nil)
  }

  private func startProgram() throws -> HandOver.Owner {
    let pid = try spawn(Launch(executable: "/bin/sleep", arguments: ["60"]))
    return HandOver.Owner(pid: pid, startTime: try #require(ProcessDetails(of: pid)).startTime)
  }

  @Test("A URL that a program took has its result when the program goes on running, or ends")
  func owners() async throws {
    let world = try await DaemonWorld()
    let program = try startProgram()
    var outcome = OpenOutcome(.warm, .handedOver, handled: true)
    outcome.way = "arguments"
    outcome.owner = program
    world.requests.fates.succeed(try world.open("photos:1"), outcome)
    #expect(try await world.answers.next() == "photos:1 handed-over warm")
    world.requests.fates.succeed(try world.open("photos:2"), outcome)
    kill(program.pid, SIGKILL)
    let unknown = try await world.answers.next()
    #expect(unknown.hasPrefix("photos:2 DeliveryUnknown: "), "\(unknown)")
    // The process is gone, and its number may be used again.
    world.requests.fates.succeed(try world.open("photos:3"), outcome)
    #expect(try await world.answers.next().hasPrefix("photos:3 DeliveryUnknown: "))
    outcome.owner = HandOver.Owner(pid: getpid(), startTime: 1)
    world.requests.fates.succeed(try world.open("photos:4"), outcome)
    #expect(try await world.answers.next().hasPrefix("photos:4 DeliveryUnknown: "))
  }

  @Test("At the end of the daemon, a URL that a program took is handed over")
  func ownersAtShutdown() async throws {
    let world = try await DaemonWorld()
    let id = try world.open("photos:1")
    var outcome = OpenOutcome(.warm, .handedOver, handled: true)
    let own = try #require(ProcessDetails(of: getpid()))
    outcome.owner = HandOver.Owner(pid: own.pid, startTime: own.startTime)
    world.requests.fates.succeed(id, outcome)
    world.coordinator.stop()
    world.requests.fates.cutOffAll()
    #expect(try await world.answers.next() == "photos:1 handed-over warm")
  }

  @Test("What a handler said of a URL with a query goes to the opener, and not into the record")
  func discreet() async throws {
    let world = try await DaemonWorld()
    let failure = OpenFailure.handlerRefused("the application refused it", words: "no 4711")
    for url in ["photos:1?4711", "photos:1"] {
      let id = try world.open(url)
      world.requests.fates.fail(id, failure, unit: nil)
      #expect(try await world.answers.next().contains("the application refused it: no 4711"))
    }
    let details = await world.entries().map { $0.detail ?? "" }
    #expect(details.map { $0.contains("4711") } == [true, false])
  }
}

extension DaemonWorld {
  /// What is recorded, newest first.
  func entries() async -> [RequestEntry] {
    await requests.store.recent(limit: 10, handler: nil, caller: nil, since: 0)
  }

  func recorded() async throws -> [String] {
    await entries().map { "\($0.subject) \($0.fate ?? "?")" }
  }
}
