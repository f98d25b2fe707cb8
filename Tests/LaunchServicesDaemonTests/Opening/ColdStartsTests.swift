import LaunchRules
import Records
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("Requests whose application was started and has said nothing")
struct ColdStartsTests {
  private static let chat = BundleIdentifier("org.example.chat.desktop")!

  private func entry(_ number: UInt64) -> RequestEntry {
    RequestEntry(
      number: number, time: 1, caller: "lsopen", subject: "chat:\(number)", handler: Self.chat.text,
      progress: .settled, launch: "cold", fate: "unacknowledged",
      trail: [RequestStep("unacknowledged", at: 5)])
  }

  @Test("one becomes handed-over once, by the handler that has passed the URL on")
  func once() throws {
    var starts = ColdStarts()
    starts.add(entry(1))
    starts.add(entry(2))
    func take(_ number: UInt64, _ handler: BundleIdentifier = Self.chat) -> RequestEntry? {
      starts.handedOver(RequestID(number), by: handler, at: 9)
    }
    let other = try #require(BundleIdentifier("org.example.other.desktop"))
    #expect(take(1, other) == nil)
    #expect(take(3) == nil)
    let first = take(1)
    #expect(first?.fate == "handed-over" && first?.number == 1)
    #expect(first?.trail.map(\.state) == ["unacknowledged", "handed-over"])
    #expect(take(1) == nil)
    #expect(take(2)?.number == 2)
  }

  @Test(
    "one whose application fails has a last step that says how, once, also when it was handed over")
  func failed() {
    var starts = ColdStarts()
    starts.add(entry(1))
    starts.add(entry(2))
    func fail(_ number: UInt64, _ failure: HandOver.Failure) -> RequestEntry? {
      starts.failed(RequestID(number), failure, by: Self.chat, at: 9)
    }
    let first = fail(1, .signal(6))
    #expect(first?.fate == "unacknowledged")
    #expect(first?.trail.map(\.state) == ["unacknowledged", "ended-by-signal-6"])
    #expect(fail(1, .signal(6)) == nil)
    #expect(starts.handedOver(RequestID(2), by: Self.chat, at: 8) != nil)
    let second = fail(2, .status(3))
    #expect(second?.fate == "handed-over")
    #expect(second?.trail.map(\.state).suffix(2) == ["handed-over", "ended-with-status-3"])
    #expect(fail(3, .status(1)) == nil)
  }

  @Test("the oldest are forgotten, so that there are never many") func bounded() {
    var starts = ColdStarts()
    for number in 1...65 { starts.add(entry(UInt64(number))) }
    let taken = [1, 2, 65].map { starts.handedOver(RequestID($0), by: Self.chat, at: 9)?.number }
    #expect(taken == [nil, 2, 65])
  }
}
