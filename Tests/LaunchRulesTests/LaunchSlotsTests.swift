import LaunchRules
import Testing

private func instance(_ ordinal: UInt64) -> InstanceID {
  InstanceID(Seat(BundleIdentifier("com.example.photos")!), ordinal: ordinal)
}

@Suite("Launches at once")
struct LaunchSlotsTests {
  @Test("are limited, and the others begin in their order") func order() {
    var slots = LaunchSlots(limit: 2)
    let begun = (1...4).map { slots.begin(instance($0)) }
    #expect(begun == [true, true, false, false])
    let next = [2, 2, 1, 3].map { slots.ended(instance($0)) }
    #expect(next == [instance(3), nil, instance(4), nil])
    let last = slots.begin(instance(5))
    #expect(last)
  }

  @Test("that have not begun can end") func gone() {
    var slots = LaunchSlots(limit: 1)
    let begun = (1...3).map { slots.begin(instance($0)) }
    #expect(begun == [true, false, false])
    let next = [2, 1].map { slots.ended(instance($0)) }
    #expect(next == [nil, instance(3)])
  }
}
