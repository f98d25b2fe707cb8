import LaunchRules
import Testing

@Suite("When association files are fetched") struct AssociationScheduleTests {
  static let hosts = (0..<6).compactMap { WebHost("h\($0).com") }
  static let start: Int64 = 1_000_000

  @Test(
    "R8.6 on registration, then weekly; a 404 is an answer",
    arguments: [FetchResult.fetched, .denied])
  func weekly(_ result: FetchResult) {
    var schedule = AssociationSchedule()
    let host = Self.hosts[0]
    #expect(schedule.handle(.declared([host]), at: Self.start) == [host])
    #expect(schedule.handle(.timePassed, at: Self.start) == [])
    #expect(schedule.handle(.fetched(host, result), at: Self.start + 1) == [])
    let next = Self.start + 1 + 7 * 24 * 3600
    #expect(schedule.nextTime == next)
    #expect(schedule.handle(.timePassed, at: next - 1) == [])
    #expect(schedule.handle(.timePassed, at: next) == [host])
  }

  @Test("a domain that is fetched, or that the user wants fetched, is under way; others are not")
  func underWay() {
    var schedule = AssociationSchedule()
    let begun = schedule.handle(.declared(Set(Self.hosts.dropLast())), at: Self.start)
    let waiting = Self.hosts.dropLast().filter { !begun.contains($0) }
    #expect(!begun.isEmpty && !waiting.isEmpty)
    #expect(begun.allSatisfy(schedule.isUnderWay))
    #expect(!waiting.contains(where: schedule.isUnderWay))
    #expect(schedule.handle(.refresh(waiting), at: Self.start) == [])
    #expect(waiting.allSatisfy(schedule.isUnderWay))
    #expect(!schedule.isUnderWay(Self.hosts[5]))
  }

  @Test("later and later while a site does not answer, once a day at the least")
  func backOff() {
    var schedule = AssociationSchedule()
    let host = Self.hosts[0]
    var now = Self.start
    var pauses: [Int64] = []
    _ = schedule.handle(.declared([host]), at: now)
    for _ in 0..<10 {
      _ = schedule.handle(.fetched(host, .timedOut), at: now)
      let next = schedule.nextTime ?? 0
      pauses.append((next - now) / 60)
      #expect(schedule.handle(.timePassed, at: next - 1) == [])
      #expect(schedule.handle(.timePassed, at: next) == [host])
      now = next
    }
    #expect(pauses == [15, 30, 60, 120, 240, 480, 960, 1440, 1440, 1440])
    _ = schedule.handle(.fetched(host, .fetched), at: now)
    #expect(schedule.entries[host]?.failures == 0)
  }

  @Test("four at once, the others after them, and once each")
  func atOnce() {
    var schedule = AssociationSchedule()
    let first = schedule.handle(.declared(Set(Self.hosts)), at: Self.start)
    #expect(first == Array(Self.hosts.prefix(4)))
    #expect(schedule.nextTime == nil)
    #expect(schedule.handle(.refresh([Self.hosts[0], Self.hosts[5]]), at: Self.start) == [])
    #expect(schedule.handle(.fetched(Self.hosts[0], .fetched), at: Self.start) == [Self.hosts[5]])
    #expect(schedule.handle(.fetched(Self.hosts[1], .fetched), at: Self.start) == [Self.hosts[4]])
  }

  @Test("at once when the user asks or the application is installed anew, and nobody else's")
  func refresh() {
    var schedule = AssociationSchedule()
    let host = Self.hosts[0]
    _ = schedule.handle(.declared([host]), at: Self.start)
    _ = schedule.handle(.fetched(host, .fetched), at: Self.start)
    #expect(schedule.handle(.refresh([host]), at: Self.start + 1) == [host])
    _ = schedule.handle(.fetched(host, .unreachable), at: Self.start + 1)
    #expect(schedule.handle(.declared([]), at: Self.start + 2) == [])
    #expect(schedule.entries.isEmpty && schedule.nextTime == nil)
  }

  @Test("a clock that was set back delays nothing for long")
  func clock() {
    var schedule = AssociationSchedule()
    let host = Self.hosts[0]
    _ = schedule.handle(.declared([host]), at: Self.start)
    _ = schedule.handle(.fetched(host, .fetched), at: Self.start)
    #expect(schedule.handle(.timePassed, at: Self.start - 10) == [host])
  }
}
