import LaunchRules
import Testing

@Suite("A request whose name was used before")
struct RepeatedRequestTests {
  @Test(
    "is never delivered a second time",
    arguments: [
      (.underWay, 5, .join), (.settled, 5, .answerAgain), (.accepted, 5, .accept),
      (.delivering(pid: 5), 5, .askAgain), (.delivering(pid: 5), 6, .unknown),
      (.delivering(pid: 5), nil, .unknown),
    ] as [(RepeatedRequest.Known, Int32?, RepeatedRequest.Decision)])
  func decision(_ known: RepeatedRequest.Known, _ pid: Int32?, _ wanted: RepeatedRequest.Decision) {
    #expect(RepeatedRequest.decide(known, isSame: true, handlerPID: pid) == wanted)
  }

  @Test("is refused when it asks for something else")
  func other() {
    #expect(
      RepeatedRequest.decide(.settled, isSame: false, handlerPID: nil)
        == .refuse("option 'request-id': it was used before, for another request"))
  }
}
