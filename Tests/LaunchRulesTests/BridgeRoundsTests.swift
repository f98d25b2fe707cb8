import LaunchRules
import Testing

@Suite("URLs that go round through a program that runs already")
struct BridgeRoundsTests {
  @Test("are counted while they follow one another, each for itself") func counts() {
    var rounds = BridgeRounds()
    for round in 1...BridgeRounds.most + 1 {
      let now = UInt64(round) * BridgeRounds.pause
      #expect(rounds.next("https://a.example/", at: now) == round)
      #expect(rounds.next("https://b.example/\(round)", at: now) == 1)
    }
  }

  @Test("begin anew after a pause") func pause() {
    var rounds = BridgeRounds()
    #expect(rounds.next("https://a.example/", at: 1) == 1)
    #expect(rounds.next("https://a.example/", at: 2) == 2)
    #expect(rounds.next("https://a.example/", at: 3 + BridgeRounds.pause) == 1)
  }

  @Test("are forgotten, the oldest first, when there are too many") func bound() {
    var rounds = BridgeRounds()
    for number in 0..<100 { _ = rounds.next("https://\(number).example/", at: UInt64(number)) }
    #expect(rounds.next("https://50.example/", at: 100) == 2)
    for number in 100..<150 { _ = rounds.next("https://\(number).example/", at: UInt64(number)) }
    #expect(rounds.next("https://50.example/", at: 200) == 3)
    #expect(rounds.next("https://0.example/", at: 200) == 1)
  }
}
