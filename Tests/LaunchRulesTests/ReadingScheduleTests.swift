import LaunchRules
import Testing

@Suite("Which property lists are read next") struct ReadingScheduleTests {
  private static func record(_ path: String, hasApplication: Bool = true) -> ApplicationRecord {
    ApplicationRecord(
      propertyList: path, hasApplication ? Sample.app("com.example.a", path: path) : nil)
  }

  @Test("What becomes due while others are read is for the next round") func rounds() {
    var schedule = ReadingSchedule()
    #expect(schedule.next() == nil)
    schedule.add(["/a"], in: ["/f"])
    schedule.add(["/a", "/b"])
    #expect(schedule.next() == .init(paths: ["/a", "/b"], folders: ["/f"]))
    schedule.add(["/c"], of: ["/f/d.app"])
    schedule.add([], of: ["/f/e.app"])
    #expect(
      schedule.next() == .init(paths: ["/c"], applications: ["/f/d.app", "/f/e.app"]))
    #expect(schedule.next() == nil)
  }

  @Test("What became known of a property list meanwhile goes over what is read of it")
  func overtaken() {
    var schedule = ReadingSchedule()
    schedule.add(["/a", "/b"])
    _ = schedule.next()
    schedule.overtake(["/a"])
    #expect(!schedule.counts(Self.record("/a"), isBeingWritten: false))
    #expect(schedule.counts(Self.record("/b"), isBeingWritten: false))
    // It is not read again for that alone: it may be unregistered.
    #expect(schedule.next() == nil)
    #expect(schedule.counts(Self.record("/a"), isBeingWritten: false))
  }

  @Test("What is no longer registered is not read, now or in the next round") func forgotten() {
    var schedule = ReadingSchedule()
    schedule.add(["/a"])
    _ = schedule.next()
    schedule.add(["/a", "/b"])
    schedule.forget(["/a"])
    #expect(!schedule.counts(Self.record("/a"), isBeingWritten: false))
    #expect(schedule.next() == .init(paths: ["/b"]))
  }

  @Test("One that is broken while somebody writes it does not count", arguments: [false, true])
  func beingWritten(_ hasApplication: Bool) {
    let record = Self.record("/a", hasApplication: hasApplication)
    #expect(ReadingSchedule().counts(record, isBeingWritten: true) == hasApplication)
    #expect(ReadingSchedule().counts(record, isBeingWritten: false))
  }
}

@Suite("When it is told how many property lists were read") struct ReadingPaceTests {
  private static func told(_ moments: [(read: Int, milliseconds: UInt64)], of found: Int) -> [Int] {
    var pace = ReadingPace(beginningAt: 5_000_000)
    return moments.filter { pace.tells($0.read, of: found, at: 5_000_000 + $0.milliseconds * 1000) }
      .map(\.read)
  }

  @Test("Of what is done in a moment nothing is told") func quick() {
    #expect(Self.told([(256, 1), (512, 99), (600, 99)], of: 600) == [])
    #expect(Self.told([], of: 0) == [])
  }

  @Test("Ten times a second, and the end") func slow() {
    let moments = (1...50).map { (read: $0 * 2, milliseconds: UInt64($0) * 10) }
    #expect(Self.told(moments, of: 100) == [20, 40, 60, 80, 100])
    let uneven: [(Int, UInt64)] = [(1, 150), (2, 200), (3, 249), (4, 250), (5, 251)]
    #expect(Self.told(uneven, of: 5) == [1, 4, 5])
  }
}
