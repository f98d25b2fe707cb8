import LaunchRules
import Testing

/// Of an application of its own.
private func instance(_ number: Int) -> InstanceID { instance("app\(number)", 1) }

private func instance(_ name: String, _ ordinal: UInt64) -> InstanceID {
  InstanceID(InstanceSlot(BundleIdentifier("com.example.\(name)")!), ordinal: ordinal)
}

@Suite("Launches at once")
struct LaunchSlotsTests {
  @Test("are limited, and the others begin in their order") func order() {
    var slots = LaunchSlots(limit: 2)
    let begun = (1...4).map { slots.begin(instance($0)) }
    #expect(begun == [true, true, false, false])
    let next = [2, 2, 1, 3].map { slots.ended(instance($0)) }
    #expect(next == [[instance(3)], [], [instance(4)], []])
    let last = slots.begin(instance(5))
    #expect(last)
  }

  @Test("that have not begun can end") func gone() {
    var slots = LaunchSlots(limit: 1)
    let begun = (1...3).map { slots.begin(instance($0)) }
    #expect(begun == [true, false, false])
    let next = [2, 1].map { slots.ended(instance($0)) }
    #expect(next == [[], [instance(3)]])
  }

  @Test("are, of one application, at most a quarter, and keep nobody else waiting")
  func oneApplication() {
    var slots = LaunchSlots(limit: 8)
    let photos = (1...4).map { slots.begin(instance("photos", $0)) }
    #expect(photos == [true, true, false, false])
    let others = (1...7).map { slots.begin(instance($0)) }
    #expect(others == [true, true, true, true, true, true, false])
    // The place of one goes to the first in line that may have it.
    #expect(slots.ended(instance(1)) == [instance(7)])
    #expect(slots.ended(instance("photos", 1)) == [instance("photos", 3)])
    #expect(slots.ended(instance(2)) == [])
    #expect(slots.ended(instance("photos", 2)) == [instance("photos", 4)])
    #expect(slots.ended(instance("photos", 3)) == [])
  }

  @Test("leave the last quarter to callers that have none") func callers() {
    var slots = LaunchSlots(limit: 8)
    let first = (1...7).map { slots.begin(instance($0), for: .unit("first")) }
    #expect(first == [true, true, true, true, true, true, false])
    let others = [
      slots.begin(instance(8), for: .unit("second")),
      slots.begin(instance(9), for: .unit("second")),
      slots.begin(instance(10), for: .unit("third")), slots.begin(instance(11)),
    ]
    #expect(others == [true, false, true, false])
    #expect(slots.ended(instance(1)) == [instance(11)])
    #expect(slots.ended(instance(2)) == [])
    #expect(slots.ended(instance(3)) == [])
    // The first caller is the first in line, but has more places than the second.
    #expect(slots.ended(instance(4)) == [instance(9)])
  }

  @Test("begin in the order of the places that the groups of their callers have") func groups() {
    var slots = LaunchSlots(limit: 8)
    let shell = LoadOwner.process(1, startTime: 1)
    let common = LoadOwner.process(2, startTime: 1)
    func caller(_ number: Int32) -> LoadOwner { .process(100 + number, startTime: 1) }
    // Each process of the shell is a caller of its own.
    let begun = (1...10).map {
      slots.begin(instance($0), for: caller(Int32($0)), in: [shell, common])
    }
    #expect(begun.filter { $0 }.count == 8)
    let other = slots.begin(instance(11), for: caller(11), in: [common])
    #expect(!other)
    #expect(slots.ended(instance(1)) == [instance(11)])
    #expect(slots.ended(instance(2)) == [instance(9)])
  }

  @Test("that end may make room for two: of an application, and of a caller") func two() {
    var slots = LaunchSlots(limit: 8)
    let begun =
      (1...2).map { slots.begin(instance("photos", $0), for: .unit("first")) }
      + (1...4).map { slots.begin(instance($0), for: .unit("first")) }
    #expect(begun == [true, true, true, true, true, true])
    let late = [
      slots.begin(instance("photos", 3), for: .unit("second")),
      slots.begin(instance(5), for: .unit("first")),
    ]
    #expect(late == [false, false])
    #expect(slots.ended(instance("photos", 1)) == [instance("photos", 3)])
    #expect(slots.ended(instance("photos", 2)) == [instance(5)])
  }
}
