import Testing

@testable import LaunchRules

@Suite("Whether one more open may wait") struct AdmissionRuleTests {
  private static let rule = AdmissionRule(mostOpens: 10, longestQueue: 64, mostBytes: 1600)
  private static let handler = BundleIdentifier("com.example.hang")

  struct Row: CustomStringConvertible, Sendable {
    var name: String
    var caller = AdmissionRule.Load()
    /// Outermost first.
    var groups: [AdmissionRule.Load] = []
    var orphans: AdmissionRule.Load?
    var callerForHandler = 0
    var groupsForHandler: [AdmissionRule.Load] = []
    var forHandler = AdmissionRule.Load()
    var all = AdmissionRule.Load()
    var open = AdmissionRule.Load(opens: 1, bytes: 100_000)
    /// A part of the reason; nil when it may wait.
    var refusal: String?
    var description: String { name }
  }

  static let rows: [Row] = [
    Row(name: "the first"),
    Row(name: "one below the opens of a caller", caller: .init(opens: 9), all: .init(opens: 9)),
    Row(
      name: "the opens of a caller", caller: .init(opens: 10), all: .init(opens: 10),
      refusal:
        "10 opens of this caller are under way already, which is the limit MaximumOpensPerCaller"),
    Row(
      name: "one below three quarters of a queue", caller: .init(opens: 9), callerForHandler: 47),
    Row(
      name: "three quarters of a queue", caller: .init(opens: 9), callerForHandler: 48,
      refusal: "48 opens of this caller wait for com.example.hang already"),
    Row(
      name: "one below seven eighths of a queue, of a group", callerForHandler: 1,
      groupsForHandler: [.init(opens: 55)], forHandler: .init(opens: 55)),
    Row(
      name: "seven eighths of a queue, of a group", callerForHandler: 1,
      groupsForHandler: [.init(opens: 56)],
      forHandler: .init(opens: 56),
      refusal:
        "56 opens of this caller and of others of one application, unit or parent process wait for"
        + " com.example.hang already, and together they may have 56 of the 64 places"),
    Row(
      name: "a queue with a process and its descendants, beside them",
      groupsForHandler: [.init(opens: 55)], forHandler: .init(opens: 55)),
    Row(
      name: "a queue with a process and its descendants, which leave a place",
      groupsForHandler: [.init(opens: 55), .init(opens: 55)], forHandler: .init(opens: 55),
      refusal: "together they may have 55 of the 64 places"),
    Row(name: "the last place, of another group", forHandler: .init(opens: 63)),
    Row(
      name: "a whole queue", forHandler: .init(opens: 64),
      refusal: "64 opens wait for com.example.hang already, which is the limit MaximumQueueLength"),
    Row(
      name: "a quarter of the bytes, of one caller", caller: .init(opens: 1, bytes: 400),
      all: .init(opens: 1, bytes: 400), refusal: "one caller may take 400, a quarter"),
    Row(
      name: "a quarter of the bytes for one application, of who has more under way",
      caller: .init(opens: 1, bytes: 1), forHandler: .init(opens: 4, bytes: 400),
      all: .init(opens: 5, bytes: 401), refusal: "those of one application may take 400, a quarter"),
    Row(
      name: "a quarter for one application, of who has nothing under way",
      forHandler: .init(opens: 4, bytes: 400), all: .init(opens: 4, bytes: 400)),
    Row(
      name: "three eighths of the bytes for one application",
      forHandler: .init(opens: 6, bytes: 600),
      all: .init(opens: 6, bytes: 600), refusal: "check whether com.example.hang hangs"),
    Row(
      name: "the same for another application", all: .init(opens: 6, bytes: 600)),
    Row(
      name: "little, for an application that has so much", forHandler: .init(opens: 6, bytes: 600),
      all: .init(opens: 6, bytes: 600), open: .init(opens: 1, bytes: 1000)),
    Row(
      name: "one of a group that has three quarters", caller: .init(opens: 1, bytes: 1),
      groups: [.init(opens: 8, bytes: 1250)], all: .init(opens: 8, bytes: 1250),
      open: .init(opens: 1, bytes: 20),
      refusal:
        "others of one application, unit or parent process take 1250 bytes already, and the others leave 1262"
    ),
    Row(
      name: "one that fits into three quarters", caller: .init(opens: 1, bytes: 1),
      groups: [.init(opens: 8, bytes: 1240)], all: .init(opens: 8, bytes: 1240),
      open: .init(opens: 1, bytes: 20)),
    Row(
      name: "one of a process and its descendants, which leave a part to the programs beside them",
      caller: .init(opens: 1, bytes: 1),
      groups: [.init(opens: 8, bytes: 1245), .init(opens: 8, bytes: 1245)],
      all: .init(opens: 8, bytes: 1245), open: .init(opens: 1, bytes: 10),
      refusal: "the others leave 1249"),
    Row(
      name: "one of processes without parents that have a quarter",
      groups: [.init(opens: 8, bytes: 390)], orphans: .init(opens: 8, bytes: 390),
      all: .init(opens: 8, bytes: 390), open: .init(opens: 1, bytes: 11),
      refusal:
        "the opens of processes whose parents have ended take 390 bytes already, and together they may take 400"
    ),
    Row(
      name: "one that fits into a quarter", groups: [.init(opens: 8, bytes: 390)],
      orphans: .init(opens: 8, bytes: 390), all: .init(opens: 8, bytes: 390),
      open: .init(opens: 1, bytes: 10)),
    Row(
      name: "one of a program beside them", caller: .init(opens: 1, bytes: 1),
      groups: [.init(opens: 8, bytes: 1245)], all: .init(opens: 8, bytes: 1245),
      open: .init(opens: 1, bytes: 10)),
    Row(
      name: "little, of a group that has three quarters", groups: [.init(opens: 8, bytes: 1240)],
      all: .init(opens: 8, bytes: 1240), open: .init(opens: 1, bytes: 20)),
    Row(name: "one of another group", all: .init(opens: 8, bytes: 900)),
    Row(
      name: "one of a group that has nothing, of any size", groups: [.init()],
      all: .init(opens: 90, bytes: 1599)),
    Row(
      name: "all of it", all: .init(opens: 90, bytes: 1600),
      refusal: "the opens under way take 1600 bytes already"),
    Row(
      name: "the last, for little", all: .init(opens: 90, bytes: 1600),
      open: .init(opens: 1, bytes: 1000)),
    Row(
      name: "the largest that is little", all: .init(opens: 90, bytes: 1600),
      open: .init(opens: 1, bytes: AdmissionRule.little)),
    Row(
      name: "the smallest that is not little", all: .init(opens: 90, bytes: 1600),
      open: .init(opens: 1, bytes: AdmissionRule.little + 1),
      refusal: "the opens under way take 1600 bytes already"),
    Row(
      name: "nothing is left", all: .init(opens: 90, bytes: 1700),
      open: .init(opens: 1, bytes: 1000),
      refusal: "the opens under way take 1700 bytes already"),
    Row(
      name: "streams of one caller", caller: .init(opens: 1, withStreams: 16),
      all: .init(opens: 1, withStreams: 16), open: .init(opens: 1, withStreams: 1),
      refusal: "16 opens of this caller that bring stdin"),
    Row(
      name: "streams for one application", forHandler: .init(opens: 32, withStreams: 32),
      all: .init(opens: 32, withStreams: 32), open: .init(opens: 1, withStreams: 1),
      refusal: "32 opens for com.example.hang that bring stdin"),
    Row(
      name: "streams for one application, of who has some under way",
      caller: .init(opens: 1, withStreams: 1), forHandler: .init(opens: 16, withStreams: 16),
      all: .init(opens: 17, withStreams: 17), open: .init(opens: 1, withStreams: 1),
      refusal: "16 opens for com.example.hang that bring stdin"),
    Row(
      name: "streams of all, of who has some under way", caller: .init(opens: 1, withStreams: 1),
      all: .init(opens: 48, withStreams: 48), open: .init(opens: 1, withStreams: 1),
      refusal: "48 opens of all callers that bring stdin"),
    Row(
      name: "streams for another", all: .init(opens: 32, withStreams: 32),
      open: .init(opens: 1, withStreams: 1)),
    Row(
      name: "streams of all", all: .init(opens: 64, withStreams: 64),
      open: .init(opens: 1, withStreams: 1), refusal: "64 opens of all callers that bring stdin"),
    Row(name: "without streams", all: .init(opens: 64, withStreams: 64)),
  ]

  @Test("is decided by who asks, for whom, and what is under way", arguments: rows)
  func decide(_ row: Row) throws {
    var underWay = AdmissionRule.UnderWay()
    underWay.ofCaller = row.caller
    underWay.ofGroups = row.groups
    underWay.ofOrphans = row.orphans
    underWay.ofCallerForHandler = row.callerForHandler
    underWay.ofGroupsForHandler = row.groupsForHandler
    underWay.forHandler = row.forHandler
    underWay.all = row.all
    let refusal = Self.rule.refusal(
      of: row.open, for: try #require(Self.handler), besides: underWay)
    if let expected = row.refusal {
      #expect(refusal?.sentence.contains(expected) == true, "\(String(describing: refusal))")
    } else {
      #expect(refusal == nil)
    }
  }

  @Test("leaves places to a program beside one that starts a process for each few opens")
  func manyProcesses() throws {
    // The defaults of the settings.
    let rule = AdmissionRule(mostOpens: 5000, longestQueue: 1000, mostBytes: 64 << 20)
    let handler = try #require(Self.handler)
    let open = AdmissionRule.Load(opens: 1, bytes: 1100)
    var under = AdmissionRule.Load.none
    var refusal: OpenFailure?
    func underWay(_ groups: [AdmissionRule.Load]) -> AdmissionRule.UnderWay {
      var underWay = AdmissionRule.UnderWay()
      underWay.ofGroups = groups
      underWay.all = under
      return underWay
    }
    // Each of the processes has one open, and each open is for another application. So only the memory has a limit.
    while refusal == nil {
      refusal = rule.refusal(of: open, for: handler, besides: underWay([under, under]))
      if refusal == nil {
        under.opens += open.opens
        under.bytes += open.bytes
      }
    }
    #expect(under.opens < 10 * 5000)
    #expect(refusal?.sentence.contains("MaximumPendingBytes") == true)
    #expect(rule.refusal(of: open, for: handler, besides: underWay([under])) == nil)
  }
}
