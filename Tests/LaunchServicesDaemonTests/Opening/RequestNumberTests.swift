import LaunchRules
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("Request numbers") struct RequestNumberTests {
  /// The number that a daemon without reserved numbers would begin with.
  private static let time = RequestClock.now / 1000

  /// The reservations, with the closures that report their results.
  @MainActor private final class Reservations {
    var all: [(last: UInt64, then: @MainActor (Bool) -> Void)] = []
  }

  @Test("begin with the reserved ones, and more are reserved before those are used up")
  func reserved() {
    let reservations = Reservations()
    let opens = PendingOpens(1...1000) { reservations.all.append(($0, $1)) }
    #expect((1...500).map { _ in opens.nextRequest() } == (1...500).map { RequestID($0) })
    #expect(reservations.all.isEmpty)
    #expect(opens.nextRequest() == RequestID(501))
    #expect(reservations.all.map(\.last) == [2000])
    reservations.all[0].then(true)
    #expect((502...1500).map { _ in opens.nextRequest() } == (502...1500).map { RequestID($0) })
    #expect(reservations.all.count == 1)
  }

  @Test("are times when none can be reserved, so that the next daemon does not repeat them")
  func times() {
    let reservations = Reservations()
    let opens = PendingOpens(1...1000) { reservations.all.append(($0, $1)) }
    for _ in 1...501 { _ = opens.nextRequest() }
    reservations.all[0].then(false)
    let first = opens.nextRequest()
    #expect(first.number >= Self.time)
    #expect(reservations.all.count == 2 && reservations.all[1].last > first.number)
    reservations.all[1].then(false)
    #expect(opens.nextRequest().number > first.number)

    let other = PendingOpens(nil) { _, _ in }
    #expect(other.nextRequest().number >= Self.time)
  }
}
