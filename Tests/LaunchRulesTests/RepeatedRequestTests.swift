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
    #expect(RepeatedRequest.decide(known, isSame: true, handler: pid.map { of($0) }) == wanted)
  }

  @Test("is not handed to another process that has got the same number")
  func usedNumber() {
    #expect(
      RepeatedRequest.decide(.delivering(of(5)), isSame: true, handler: of(5, startTime: 2))
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
      RepeatedRequest.decide(.settled, isSame: false, handler: nil)
        == .refuse("option 'request-id': it was used before, for another request"))
  }
}

private func of(_ pid: Int32, startTime: UInt64 = 1) -> RepeatedRequest.Process {
  RepeatedRequest.Process(pid: pid, startTime: startTime)
}
