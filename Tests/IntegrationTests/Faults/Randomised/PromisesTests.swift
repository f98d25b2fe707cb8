import Testing

@Suite("The promises to openers", .timeLimit(.minutes(30)))
struct PromisesTests {
  private var promises = Promises()

  /// An open of client 0 for application 0.
  private mutating func ask(_ urls: String..., hasRequestID: Bool = false) {
    for url in urls {
      expect([], .asked(url: url, application: 0, client: 0, hasRequestID: hasRequestID))
    }
  }

  private mutating func arrive(_ url: String, _ wrong: String...) {
    expect(wrong, .arrived(url: url, application: 0))
  }

  private mutating func tell(
    _ url: String, _ fate: Fate, number: UInt64? = nil, _ wrong: String...
  ) {
    expect(wrong, .told(url: url, fate, number: number))
  }

  private mutating func expect(_ wrong: [String], _ event: Promises.Event) {
    let observed = promises.observe(event)
    #expect(observed == wrong)
  }

  @Test("are kept by one delivery that is told") mutating func kept() {
    ask("a", "b")
    arrive("a")
    tell("a", .delivered, number: 1)
    #expect(promises.withoutFate == ["b"])
    arrive("b")
    tell("b", .delivered, number: 2)
    #expect(promises.withoutFate == [])
  }

  @Test("are kept when what was told is not known any more, after the record was damaged")
  mutating func forgotten() {
    ask("a", hasRequestID: true)
    arrive("a")
    tell("a", .delivered, number: 1)
    expect([], .recordDamaged)
    tell("a", .unknown)
    tell("a", .cancelled, "the opener of a was told delivered, and then cancelled")
    ask("b", hasRequestID: true)
    arrive("b")
    tell("b", .delivered, number: 2)
    tell("b", .unknown, "the opener of b was told delivered, and then unknown")
  }

  @Test("are broken by a second delivery") mutating func twice() {
    ask("a")
    arrive("a")
    arrive("a", "a arrived 2 times")
  }

  @Test("are broken by a delivery that is told and did not arrive") mutating func untrue() {
    ask("a")
    tell("a", .delivered, "the opener of a was told delivered, and it arrived 0 times")
  }

  @Test("are broken by a delivery after another fate was told") mutating func late() {
    ask("a")
    expect([], .mayBeTold([.vetoed], application: 0))
    tell("a", .vetoed)
    arrive("a", "a arrived after its opener was told")
  }

  @Test("are broken by a delivery to another application") mutating func elsewhere() {
    ask("a")
    expect(["a arrived at application 1"], .arrived(url: "a", application: 1))
  }

  @Test("are broken by what nobody has asked for") mutating func madeUp() {
    arrive("a", "nobody has asked for a")
    tell("a", .delivered, "nobody has asked for a")
  }

  @Test("are broken by two fates") mutating func twoFates() {
    ask("a", hasRequestID: true)
    expect([], .mayBeTold([.exited], application: 0))
    tell("a", .exited)
    expect([], .askedAgain(url: "a"))
    tell("a", .exited)
    arrive("a")
    tell("a", .delivered, "the opener of a was told exited, and then delivered")
  }

  @Test("are broken when the opens of one client change places") mutating func overtaken() {
    ask("a", "b")
    arrive("b")
    arrive("a", "b arrived before a, which its client had sent first")
  }

  @Test("allow that numbers begin anew when the record was damaged") mutating func damagedNumbers()
  {
    ask("a")
    arrive("a")
    tell("a", .delivered, number: 28_063)
    expect([], .recordDamaged)
    ask("b")
    arrive("b")
    tell("b", .delivered, number: 3)
  }

  @Test("allow that an opener with a connection of its own overtakes") mutating func ownConnection()
  {
    ask("a")
    expect([], .asked(url: "b", application: 0, client: nil, hasRequestID: true))
    arrive("b")
    arrive("a")
  }

  @Test("allow that clients overtake each other, but not against the numbers of their receipts")
  mutating func numbers() {
    ask("a")
    expect([], .asked(url: "b", application: 0, client: 1, hasRequestID: false))
    arrive("b")
    arrive("a")
    tell("b", .delivered, number: 2)
    tell("a", .delivered, number: 1, "application 0 got its requests in the order [2, 1]")
  }

  @Test("allow another place to what was asked for again") mutating func askedAgain() {
    ask("a", hasRequestID: true)
    ask("b")
    expect([], .daemonKilled)
    arrive("b")
    expect([], .askedAgain(url: "a"))
    arrive("a")
    tell("b", .cutOff)
    tell("a", .delivered, number: 1)
  }

  @Test(
    "allow a fate only for a reason",
    arguments: [
      (Fate.vetoed, Promises.Event.mayBeTold([.vetoed], application: 0)),
      (.exited, .mayBeTold([.exited, .refused], application: 0)),
      (.cancelled, .cancelled(url: "a")), (.cutOff, .daemonKilled),
    ])
  mutating func reasons(_ fate: Fate, _ reason: Promises.Event) {
    ask("a", "b")
    expect([], reason)
    tell("a", fate)
    var without = PromisesTests()
    without.ask("a")
    without.expect([], .mayBeTold([.exited, .vetoed], application: 1))
    without.tell("a", fate, "the opener of a was told \(fate), and it arrived 0 times")
  }

  @Test("allow that nobody knows only of named requests, and a cut only of others")
  mutating func unknown() {
    ask("a", hasRequestID: true)
    ask("b")
    expect([], .daemonKilled)
    tell("a", .unknown)
    tell("b", .unknown, "the opener of b was told unknown, and it arrived 0 times")
  }

  @Test("allow no fate that was not thought of") mutating func other() {
    ask("a")
    tell("a", .other("x"), #"the opener of a was told other("x"), and it arrived 0 times"#)
  }
}

@Suite("The footprint of the daemon", .timeLimit(.minutes(30)))
struct FootprintTests {
  private let idle = Footprint(
    descriptors: 12, kilobytes: 20_000, children: 0, processes: [0, 0])

  @Test("may be that of its applications") func right() {
    let busy = Footprint(descriptors: 24, kilobytes: 90_000, children: 2, processes: [1, 2])
    #expect(busy.excesses(over: idle, strays: [0, 1]) == [])
  }

  @Test("may be no more") func wrong() {
    let busy = Footprint(descriptors: 25, kilobytes: 100_000, children: 4, processes: [2, 2])
    #expect(
      busy.excesses(over: idle, strays: [0, 1]) == [
        "the daemon has 25 descriptors, more than 24",
        "the daemon has 100000 KiB of memory, more than 98304",
        "the daemon has 4 children for 2 applications",
        "application 0 has 2 processes, 0 of them strays",
      ])
  }
}
