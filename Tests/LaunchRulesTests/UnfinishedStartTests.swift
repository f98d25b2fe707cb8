import Testing

@testable import LaunchRules

@Suite("A start that the daemon before this one did not note", .timeLimit(.minutes(30)))
struct UnfinishedStartTests {
  private let token = TokenFingerprint("token")

  private func sighting(
    _ pid: Int32, started: UInt64 = 5, session: Int32? = nil, _ token: String? = "token"
  ) -> UnfinishedStart.Sighting {
    .init(
      pid: pid, startTime: started, session: session ?? pid,
      token: token.map { TokenFingerprint($0) })
  }

  @Test("left the process that has its token and leads its session") func leader() {
    let all = [sighting(9, nil), sighting(8, "other"), sighting(12, session: 11), sighting(11)]
    #expect(UnfinishedStart.process(given: token, among: all)?.pid == 11)
  }

  @Test("left the oldest of those that lead sessions: it has started the others") func oldest() {
    let all = [sighting(30, started: 7), sighting(40, started: 6), sighting(20, started: 8)]
    #expect(UnfinishedStart.process(given: token, among: all)?.pid == 40)
  }

  @Test("left nothing when the process has ended, whatever it has started in its session")
  func ended() {
    #expect(UnfinishedStart.process(given: token, among: [sighting(12, session: 11)]) == nil)
    #expect(UnfinishedStart.process(given: token, among: []) == nil)
  }

  @Test("may still appear while a child has not executed its program, unless all have been found")
  func beforeExecution() {
    var child = sighting(12, nil)
    child.mayBeBeforeExecution = true
    let other = TokenFingerprint("other")
    #expect(UnfinishedStart.canAppear(given: [token], among: [child]))
    #expect(!UnfinishedStart.canAppear(given: [token], among: [sighting(12, nil)]))
    #expect(!UnfinishedStart.canAppear(given: [token], among: [child, sighting(11)]))
    #expect(UnfinishedStart.canAppear(given: [token, other], among: [child, sighting(11)]))
    #expect(!UnfinishedStart.canAppear(given: [], among: [child]))
  }

  @Test("as a unit is taken over once it has a process, and taken back before") func unit() {
    #expect(UnfinishedStart.decide(mainPID: 7, hasJob: true) == .adopt(pid: 7))
    #expect(UnfinishedStart.decide(mainPID: 7, hasJob: false) == .adopt(pid: 7))
    #expect(UnfinishedStart.decide(mainPID: 0, hasJob: true) == .withdraw)
    #expect(UnfinishedStart.decide(mainPID: 0, hasJob: false) == .nothing)
  }
}
