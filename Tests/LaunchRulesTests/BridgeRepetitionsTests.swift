import LaunchRules
import Testing

@Suite("URLs that go round through a program that runs already")
struct BridgeRepetitionsTests {
  private let url = "https://a.example/"

  private func handedOver(_ count: Int, at now: UInt64 = 1) -> BridgeRepetitions {
    var rounds = BridgeRepetitions()
    for _ in 0..<count { rounds.add(url, at: now) }
    return rounds
  }

  @Test("are refused when they were handed over in a row, each for itself") func counts() {
    #expect(!handedOver(BridgeRepetitions.most - 1).isOver(url, at: 2))
    #expect(handedOver(BridgeRepetitions.most).isOver(url, at: 2))
    #expect(!handedOver(BridgeRepetitions.most).isOver("https://b.example/", at: 2))
  }

  @Test("are refused until a pause after the last that was handed over, however often they come")
  func pause() {
    let rounds = handedOver(BridgeRepetitions.most)
    for time in 2...1000 { #expect(rounds.isOver(url, at: UInt64(time))) }
    #expect(rounds.isOver(url, at: 1 + BridgeRepetitions.pause))
    #expect(!rounds.isOver(url, at: 2 + BridgeRepetitions.pause))
  }

  @Test("are told of once in a row") func told() {
    var rounds = handedOver(BridgeRepetitions.most)
    let first = rounds.tell(url)
    #expect(first)
    let second = rounds.tell(url)
    #expect(!second)
    rounds.add(url, at: 2 + BridgeRepetitions.pause)
    let third = rounds.tell(url)
    #expect(third)
  }

  @Test(
    "are URLs of the web that may come from a browser; a person may click a link to write to somebody"
  )
  func schemes() throws {
    let (web, mail) = (try #require(URLScheme("https")), try #require(URLScheme("mailto")))
    #expect(BridgeRepetitions.canLoop(web, .browser))
    #expect(BridgeRepetitions.canLoop(web, .possible(.unknownStart)))
    #expect(!BridgeRepetitions.canLoop(web, .program))
    #expect(!BridgeRepetitions.canLoop(mail, .browser))
  }

  @Test("are forgotten, the oldest first, when there are too many") func bound() {
    var rounds = handedOver(BridgeRepetitions.most)
    for number in 0..<100 { rounds.add("https://\(number).example/", at: UInt64(2 + number)) }
    #expect(!rounds.isOver(url, at: 102))
  }

  @Test("count on when the next one comes exactly at the end of the pause") func lastMoment() {
    var rounds = handedOver(BridgeRepetitions.most - 1)
    rounds.add(url, at: 1 + BridgeRepetitions.pause)
    #expect(rounds.isOver(url, at: 1 + BridgeRepetitions.pause))
    rounds = handedOver(BridgeRepetitions.most - 1)
    rounds.add(url, at: 2 + BridgeRepetitions.pause)
    #expect(!rounds.isOver(url, at: 2 + BridgeRepetitions.pause))
  }
}
