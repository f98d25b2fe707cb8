import DBus
import DBusMainLoop
import Foundation
import Glibc
import Host
import LaunchRules
import ProcessSupervision
import Testing

@testable import CallerIdentity

@Suite("What is known of connections") struct CallerTableTests {
  @Test("The facts of a connection are those of its process: executable, ancestors and session")
  func facts() async throws {
    let world = TableWorld()
    let facts = try #require(try? await world.answer(":1.7").get())
    let own = try #require(ProcessDetails(of: getpid()))
    #expect(facts.executable?.path == own.executable?.path)
    #expect(facts.own == (own.pid, own.startTime))
    #expect(facts.lineage.dropFirst().first?.pid == getppid())
    #expect(facts.session.number == getsid(0))
    #expect(facts.childOfDaemon == nil)
    #expect(facts.share == .process(own.pid, startTime: own.startTime))
  }

  @Test("What is known stays until the connection is forgotten, also after it has closed")
  func constant() async throws {
    let world = TableWorld()
    _ = await world.answer(":1.7")
    // The evidence of another process would be another one.
    world.pid = getppid()
    #expect(try await world.answer(":1.7").get().own.pid == getpid())
    #expect(try await world.answer(":1.8").get().own.pid == getppid())
    #expect(world.asked == [":1.7", ":1.8"])
    world.table.left(":1.7")
    #expect(!world.table.isConnected(":1.7"))
    #expect(world.table.isConnected(":1.8"))
    #expect(world.table.facts(of: ":1.7")?.own.pid == getpid())
    world.table.forget(":1.7")
    #expect(world.table.facts(of: ":1.7") == nil)
    #expect(world.table.facts(of: ":1.8")?.own.pid == getppid())
    #expect(try await world.answer(":1.7").get().own.pid == getppid())
  }

  @Test("Another user, a process that has ended and credentials without a process are not ours")
  func notOurs() async {
    let world = TableWorld()
    for change: (inout Options) -> Void in [
      { $0["UnixUserID"] = .uint32(getuid() + 1) }, { $0["ProcessID"] = .uint32(.max) },
      { $0["ProcessID"] = nil }, { $0 = [:] },
    ] {
      world.change = change
      #expect(await world.text(":1.7") == "not ours")
      world.table.forget(":1.7")
    }
  }

  @Test("A process that began after its connection was made has a number that was used again")
  func reusedNumber() async throws {
    let world = TableWorld()
    world.table.arrived(":1.7")
    let arrival = Time.microsecondsSinceBoot()
    // Start times are rounded down to a tick.
    var child = try RunningChild()
    while child.startedAt <= arrival { child = try RunningChild() }
    world.pid = child.pid
    #expect(await world.text(":1.7") == "not ours")
    world.table.arrived(":1.8")
    #expect(try await world.answer(":1.8").get().own.pid == child.pid)
    #expect(try await world.answer(":1.8").get().childOfDaemon == child.pid)
  }

  @Test("What could not be read is not kept: the next call asks again") func unread() async throws {
    let world = TableWorld()
    world.isDirect = false
    #expect(
      await world.text(":1.7").hasPrefix("the caller cannot be identified: the message bus did not")
    )
    #expect(!world.table.isConnected(":1.7"))
    world.isDirect = true
    #expect(try await world.answer(":1.7").get().own.pid == getpid())
  }
}

/// A table without a bus, which learns the credentials of connections from the test.
final class TableWorld {
  /// The process on the other end of the next connection.
  var pid = getpid()
  var change: (inout Options) -> Void = { _ in }
  /// Whether the credentials are known without the bus.
  var isDirect = true
  /// The connections whose credentials were asked for, each once in a row.
  private(set) var asked: [String] = []
  private(set) var table: CallerTable

  init() {
    let journal = Journal(program: "caller-table-tests", environment: [:], descriptor: -1)
    let session = BusSession(nil)
    let answers = Reference()
    table = CallerTable(session, WebOrigin(), ServiceManager(session, journal), nil, journal) {
      answers.world?.credentials(of: $0).map { .process($0) }
    }
    answers.world = self
  }

  private final class Reference {
    weak var world: TableWorld?
  }

  private func credentials(of connection: String) -> Options? {
    if asked.last != connection { asked.append(connection) }
    guard isDirect else { return nil }
    var credentials: Options = [
      "UnixUserID": .uint32(getuid()), "ProcessID": .uint32(UInt32(pid)),
    ]
    change(&credentials)
    return credentials
  }

  func answer(_ connection: String) async -> CallerTable.Answer {
    await withCheckedContinuation { continuation in
      table.withFacts(of: connection) { continuation.resume(returning: $0) }
    }
  }

  func text(_ connection: String) async -> String {
    switch await answer(connection) {
    case .success(let facts): "\(facts.own.pid)"
    case .failure(.notOurs): "not ours"
    case .failure(.unread(let why)): why
    }
  }
}

/// A child of this process, which runs until the end of the value.
final class RunningChild {
  private let process = Process()
  private let input = Pipe()
  let pid: Int32
  let startedAt: UInt64

  init() throws {
    process.executableURL = URL(filePath: "/bin/cat")
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    pid = process.processIdentifier
    startedAt = try #require(ProcessDetails(of: pid)).startedAt
  }

  isolated deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
