import LaunchRules
import Testing

@Suite("The port at which a program waits for the end of a login") struct PortWatchTests {
  private static let listening =
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 1 1 0"
  private static let open =
    "   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000 0 2 1 0"
  /// The side of the browser.
  private static let mirror =
    "   2: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000 0 3 1 0"
  private static let ended =
    "   1: 0100007F:1F90 0100007F:D431 06 00000000:00000000 03:00001761 00000000     0 0 0 3 0"
  private static let endedByBrowser =
    "   1: 0100007F:D431 0100007F:1F90 06 00000000:00000000 03:00001761 00000000     0 0 0 3 0"
  private static let version6 =
    "   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:"
  private static let header =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid"
  private static let otherPort =
    "   0: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 1 1 0"

  /// What is decided after each of the looks.
  private func verdicts(
    _ looks: [(lines: [String], times: Int)], endsWithAnswer: Bool = true
  ) -> [PortWatch.Verdict] {
    var watch = PortWatch(endsWithAnswer: endsWithAnswer)
    return looks.flatMap { lines, times in
      (0..<times).map { _ in
        watch.verdict(after: PortWatch.Look([Self.header] + lines, port: 8080))
      }
    }
  }

  private let waits = PortWatch.Verdict.wait

  @Test("it waits while the program listens and nobody has come") func waiting() {
    for lines in [[Self.listening, Self.otherPort], [Self.version6]] {
      #expect(verdicts([(lines, 1000)]).allSatisfy { $0 == .wait })
    }
  }

  @Test(
    "it is over when the connection of the browser has ended, whichever side ended it, and none follows",
    arguments: [ended, endedByBrowser])
  func answered(_ ended: String) {
    let looks = [
      ([Self.listening], 5), ([Self.listening, Self.open, Self.mirror], 20),
      ([Self.listening, ended], PortWatch.quietLooks),
    ]
    let all = verdicts(looks)
    #expect(all.last == .answered && all.dropLast().allSatisfy { $0 == .wait })
  }

  @Test("a connection between two looks is noticed by what the kernel remembers") func quick() {
    let all = verdicts([
      ([Self.listening], 5), ([Self.listening, Self.ended], PortWatch.quietLooks),
    ])
    #expect(all.last == .answered)
  }

  @Test("a second connection soon after the first is waited for") func second() {
    let all = verdicts([
      ([Self.listening], 1), ([Self.listening, Self.open], 1),
      ([Self.listening, Self.ended], PortWatch.quietLooks - 1),
      ([Self.listening, Self.ended, Self.open], 50),
    ])
    #expect(all.allSatisfy { $0 == .wait })
  }

  @Test("what an earlier login at the same port has left does not count") func earlier() {
    #expect(verdicts([([Self.listening, Self.ended], 300)]).allSatisfy { $0 == .wait })
  }

  @Test("it is over when the program no longer listens, at once when it ends before anybody came")
  func closed() {
    let all = verdicts([([Self.listening], 5), ([Self.otherPort], PortWatch.closedLooks)])
    #expect(all.last == .closed && all.dropLast().allSatisfy { $0 == .wait })
  }

  @Test("a program that listens late has ten seconds") func late() {
    #expect(verdicts([([], PortWatch.startLooks - 1)]).allSatisfy { $0 == .wait })
    #expect(verdicts([([], PortWatch.startLooks)]).last == .closed)
    #expect(PortWatch.startLooks * PortWatch.interval == 10_000)
  }

  @Test("a page at the port itself may be loaded again, until the program ends") func ownPage() {
    let looks = [
      ([Self.listening], 1), ([Self.listening, Self.open], 1), ([Self.listening, Self.ended], 300),
    ]
    #expect(verdicts(looks, endsWithAnswer: false).allSatisfy { $0 == .wait })
    #expect(
      verdicts(looks + [([Self.ended], PortWatch.closedLooks)], endsWithAnswer: false).last
        == .closed)
  }

  @Test("lines that are not of the table are left out") func noise() {
    let look = PortWatch.Look(["", "a b", "0: x y 0A", "0: :zz :1 0A", "0: 1F90 1F90"], port: 8080)
    #expect(look == PortWatch.Look([String](), port: 8080))
  }
}
