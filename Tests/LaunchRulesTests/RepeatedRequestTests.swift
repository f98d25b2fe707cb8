import Foundation
import LaunchRules
import Testing

@Suite("A request whose name was used before")
struct RepeatedRequestTests {
  @Test(
    "is never delivered a second time",
    arguments: [
      (.underWay, 5, .join), (.settled, 5, .answerAgain), (.accepted, 5, .accept),
      (.delivering(of(5)), 5, .askAgain), (.delivering(of(5)), 6, .unknown),
      (.delivering(of(5)), nil, .unknown), (.withDevice, nil, .askDevice),
    ] as [(RepeatedRequest.Known, Int32?, RepeatedRequest.Decision)])
  func decision(_ known: RepeatedRequest.Known, _ pid: Int32?, _ wanted: RepeatedRequest.Decision) {
    #expect(decide(known, handler: pid.map { of($0) }) == wanted)
  }

  @Test("is not handed to a process that may have forgotten it") func forgotten() {
    let farthest = RepeatedRequest.farthest
    for (number, last, wanted) in [
      (7, 7, .askAgain), (7, 7 + farthest, .askAgain), (7, 8 + farthest, .forgotten),
      // A number that was never given: nothing is known of the deliveries since.
      (8, 7, .forgotten), (.max, 7, .forgotten),
    ] as [(UInt64, UInt64, RepeatedRequest.Decision)] {
      #expect(decide(.delivering(of(5)), handler: of(5), number: number, last: last) == wanted)
      #expect(decide(.settled, handler: of(5), number: number, last: last) == .answerAgain)
    }
    #expect(farthest < UInt64(RepeatedRequest.remembered))
    #expect(
      RepeatedRequest.forgotten("com.a", 5)
        == .deliveryUnknown(
          "the daemon ended during the delivery to com.a (process 5), and has accepted so many requests since"
            + " that the process may have forgotten this one: it is unknown whether the request arrived, and the"
            + " request is not sent again"))
  }

  @Test("is remembered as long by the handlers of pytest-launchservices") func python() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/pytest-launchservices/src/launchservices/_performer.py")
    let line = try String(contentsOf: sources, encoding: .utf8).split(separator: "\n").first {
      $0.hasPrefix("_REMEMBERED = ")
    }
    let number = line?.dropFirst("_REMEMBERED = ".count).replacing("_", with: "")
    #expect(number.flatMap { Int($0) } == RepeatedRequest.remembered)
  }

  private func decide(
    _ known: RepeatedRequest.Known, isSame: Bool = true, handler: RepeatedRequest.Process?,
    number: UInt64 = 1, last: UInt64 = 1
  ) -> RepeatedRequest.Decision {
    RepeatedRequest.decide(known, isSame: isSame, handler: handler, number: number, last: last)
  }

  @Test("is not handed to another process that has got the same number")
  func usedNumber() {
    #expect(
      decide(.delivering(of(5)), handler: of(5, startTime: 2))
        == .unknown)
  }

  @Test("whose delivery is unknown says that the process has ended, too, where there was one")
  func unknown() {
    func failure(_ process: String) -> OpenFailure {
      .deliveryUnknown(
        "the daemon ended during the delivery to com.a\(process): it is unknown whether the request"
          + " arrived, and the request is not sent again")
    }
    #expect(
      RepeatedRequest.unknown("com.a", 5)
        == failure(" (process 5), and that process has ended, too"))
    #expect(RepeatedRequest.unknown("com.a", 0) == failure(""))
  }

  @Test("is refused when it asks for something else")
  func other() {
    #expect(
      decide(.settled, isSame: false, handler: nil)
        == .refuse("option 'request-id': it was used before, for another request"))
  }
}

private func of(_ pid: Int32, startTime: UInt64 = 1) -> RepeatedRequest.Process {
  RepeatedRequest.Process(pid: pid, startTime: startTime)
}
