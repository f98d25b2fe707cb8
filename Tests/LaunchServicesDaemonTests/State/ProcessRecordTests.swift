import DBusMainLoop
import Foundation
import Glibc
import Host
import LaunchRules
import Records
import Testing

@testable import LaunchServicesDaemon
@testable import ProcessSupervision

@MainActor @Suite("The record of processes", .timeLimit(.minutes(30)))
struct ProcessRecordTests {
  @Test("The next daemon takes over the processes that live, and forgets the others")
  func survivors() throws {
    let world = try RecordWorld()
    let own = try #require(ProcessDetails(of: getpid()))
    world.with { record, _ in
      record.record(Self.process(own.pid, own.startTime), of: world.id(0))
      // A process with this number lives, but has started at another time.
      record.record(Self.process(getppid(), 1), of: world.id(1))
    }
    world.with { record, before in
      #expect(before.survivors.map(\.slot) == [0, 1])
      let survivors = record.survivors(of: before)
      #expect(survivors.map(\.pid) == [own.pid])
      #expect(survivors.map(\.application) == ["com.example.photos"])
      record.recordEnd(of: own.pid)
    }
    world.with { _, before in #expect(before.survivors.isEmpty) }
  }

  private static func process(_ pid: Int32, _ startTime: UInt64) -> SupervisedProcess {
    SupervisedProcess(
      pid: pid, startTime: startTime, successor: nil, unit: nil, since: 0, isOurs: true,
      isSuspended: false, hasEnded: false, wasTerminated: false)
  }

  @Test("A start is recorded before the process exists, until it is known how it ended")
  func starts() async throws {
    let world = try RecordWorld()
    let recorded = EventStream<Bool>()
    world.with { record, _ in
      record.recordStart(of: world.id(0), token: "1234", unit: "a.service") { recorded.add(true) }
    }
    #expect(try await recorded.next())
    world.with { record, before in
      #expect(before.starts.map(\.unit) == ["a.service"])
      // There is no service manager that would know the unit.
      #expect(record.survivors(of: before).isEmpty)
      record.recordStartEnds(of: before)
    }
    world.with { _, before in #expect(before.starts.isEmpty) }
  }
}

/// A file with processes, for one daemon after the other.
@MainActor private final class RecordWorld {
  private let folder: StateFolder
  private let photos = DaemonWorld.photos

  init() throws { folder = try StateFolder() }

  func id(_ slot: Int) -> InstanceID { InstanceID(InstanceSlot(photos, number: slot), ordinal: 1) }

  /// Runs `body` as a daemon that ends afterwards.
  func with(_ body: (ProcessRecord, RecordedBefore) -> Void) {
    let store = RequestStore(
      path: folder.file("requests.sqlite"), limit: 10, age: 3600,
      clock: RecordClock(now: { RequestClock.now }, sinceBoot: { 0 }),
      remark: { _ in })
    let journal = Journal(program: "record-tests", environment: [:], descriptor: -1)
    let before = store.start(reserving: 10)
    body(ProcessRecord(store, ServiceManager(BusSession(nil), journal), journal), before)
    store.close()
  }
}
