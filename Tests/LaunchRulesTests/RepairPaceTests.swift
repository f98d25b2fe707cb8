import LaunchRules
import Testing

@Suite struct RepairPaceTests {
  @Test("It slows down while it is needed, and is quick again after a minute of peace") func pace()
  {
    var pace = RepairPace()
    var now: UInt64 = 5_000_000
    var pauses: [UInt64] = []
    for _ in 1...9 {
      let pause = pace.next(at: now)
      pauses.append(pause / 1000)
      now += pause + 100_000
    }
    #expect(pauses == [0, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
    #expect(pace.next(at: now + 59_000_000) == 10_000_000)
    #expect(pace.next(at: now + 200_000_000) == 0)
  }

  @Test("Peace is a minute after the last repair, not less") func boundary() {
    var (early, late) = (RepairPace(), RepairPace())
    _ = (early.next(at: 1), late.next(at: 1))
    #expect(early.next(at: 60_000_000) == 200_000)
    #expect(late.next(at: 60_000_001) == 0)
  }

  @Test("It is as quick and as slow as it is told to be") func limits() {
    var pace = RepairPace(shortest: 3, longest: 10)
    #expect((1...5).map { _ in pace.next(at: 1) } == [0, 3, 6, 10, 10])
    pace = RepairPace(shortest: 0, longest: 0)
    #expect((1...3).map { _ in pace.next(at: 1) } == [0, 0, 0])
  }
}
