import DesktopEntries
import LaunchRules
import Testing

@Suite("Each write of a list is judged by itself") struct AssociationComparisonTests {
  private static let before = list(["text/html=web", "x-scheme-handler/a=web"])

  private static func list(_ lines: [String]) -> [UInt8] {
    Array(("[Default Applications]\n" + lines.map { $0 + ".desktop\n" }.joined()).utf8)
  }

  /// Takes back every default that a line had before.
  private func comparison(
    _ writes: [(lines: [String]?, choosers: Set<UserChoiceRule.Chooser>)],
    known: AssociationComparison.Attribution = .init()
  ) throws -> AssociationComparison {
    try #require(
      AssociationComparison(
        of: Self.before,
        writes.map { .init(contents: $0.lines.map(Self.list), choosers: $0.choosers) }, known: known
      ) { changes, _ in changes.filter { $0.before != nil }.map { ($0, .defaultTaken) } })
  }

  private static let user: Set<UserChoiceRule.Chooser> = [.command(types: nil)]

  @Test("What another program takes after the user's choice comes back, the choice stays")
  func after() throws {
    let found = try comparison([
      (["text/html=web", "x-scheme-handler/a=mine"], Self.user),
      (["text/html=taker", "x-scheme-handler/a=mine"], []),
    ])
    #expect(found.result == Self.list(["text/html=web", "x-scheme-handler/a=mine"]))
    #expect(found.steps.map(\.takenBack.count) == [0, 1])
    #expect(found.steps.map(\.chosen.count) == [1, 0])
    // The choice is settled: what is taken back later is compared with the contents after it.
    #expect(found.rest.settled == 1)
    #expect(found.rest.before == found.result)
    #expect(found.rest.attribution.others.map(\.type) == ["text/html"])
    #expect(found.rest.attribution.user.isEmpty)
  }

  @Test("The user's choice that another program reverses comes back") func reversed() throws {
    let chosen = ["text/html=web", "x-scheme-handler/a=mine"]
    let found = try comparison([
      (chosen, Self.user), (["text/html=web", "x-scheme-handler/a=web"], []),
    ])
    #expect(found.result == Self.list(chosen))
    #expect(found.steps.map(\.takenBack.count) == [0, 1])
    #expect(found.rest.before == Self.list(chosen))
    #expect(found.rest.takenBack.map(\.change.after) == ["web.desktop"])
  }

  @Test("Several lines change as one after the other") func several() throws {
    func change(_ group: String, _ type: String, _ before: String?, _ after: String?)
      -> AssociationChange
    { .init(group: group, type: type, before: before, after: after) }
    let (defaults, added) = (AssociationChange.defaults, AssociationChange.added)
    let changes = [
      change(defaults, "a/b", "1", "x"), change(defaults, "a/c", nil, "x"),
      change(defaults, "a/d", "2", nil), change(defaults, "a/e", "3", "other"),
      change(added, "a/b", "4", nil), change(added, "a/c", "5", nil),
      change(defaults, "a/f", "6", nil),
    ]
    let text = """
      # first
      [Default Applications]
      a/b = x
      a/e=x
      # inside
      a/c=x

      [Other]
      a/b=x

      """
    var once = try EditedAssociations(Array(text.utf8))
    var each = try EditedAssociations(Array(text.utf8))
    let found = once.takeBack(changes)
    for change in changes { _ = each.takeBack([change]) }
    #expect(found == Set(changes.filter { $0.type != "a/e" }))
    #expect(
      String(decoding: once.bytes, as: UTF8.self) == String(decoding: each.bytes, as: UTF8.self))
    #expect(
      String(decoding: once.bytes, as: UTF8.self) == """
        # first
        [Default Applications]
        a/b = 1
        a/e=x
        a/d=2
        a/f=6
        # inside

        [Other]
        a/b=x

        [Added Associations]
        a/b=4
        a/c=5

        """)
  }

  @Test("Lines come back in their order") func order() throws {
    let lines = (1...9).map { "a/\($0)=web" }
    let found = try #require(
      AssociationComparison(
        of: Self.list(lines),
        [
          .init(contents: Self.list([]), choosers: []),
          .init(contents: Self.list(["b/b=mine"]), choosers: Self.user),
        ]
      ) { changes, _ in changes.filter { $0.before != nil }.map { ($0, .defaultRemoved) } })
    #expect(found.result == Self.list(["b/b=mine"] + lines))
  }

  @Test("What another program took before the user's choice comes back, the choice stays")
  func before() throws {
    let found = try comparison([
      (["text/html=taker", "x-scheme-handler/a=web"], []),
      (["text/html=taker", "x-scheme-handler/a=mine"], Self.user),
    ])
    let wanted = Self.list(["text/html=web", "x-scheme-handler/a=mine"])
    #expect(found.result == wanted)
    #expect(found.steps[0].result == Self.before)
    #expect(found.steps[1].before == Self.before)
    #expect(found.steps[1].after == wanted)
    #expect(found.steps[1].changes.map(\.type) == ["x-scheme-handler/a"])
  }

  @Test("The user's choice of a line between two thefts of the line is what comes back")
  func between() throws {
    let other = "x-scheme-handler/a=web"
    let found = try comparison([
      (["text/html=taker", other], []), (["text/html=mine", other], Self.user),
      (["text/html=taker", other], []),
    ])
    #expect(found.result == Self.list(["text/html=mine", other]))
    // The user's choice after a theft of the same line.
    #expect(
      try comparison([(["text/html=taker", other], []), (["text/html=mine", other], Self.user)])
        .result == Self.list(["text/html=mine", other]))
  }

  @Test("A list that a program removes and writes again changes as if it was written once")
  func removed() throws {
    let named: Set<UserChoiceRule.Chooser> = [.command(types: ["x-scheme-handler/a"])]
    let found = try comparison([
      (nil, named), (["text/html=taker", "x-scheme-handler/a=mine"], named),
    ])
    #expect(found.result == Self.list(["text/html=web", "x-scheme-handler/a=mine"]))
  }

  @Test("In one write, the lines of a type that the command names are the user's")
  func together() throws {
    let found = try comparison([
      (
        ["text/html=taker", "x-scheme-handler/a=mine"], [.command(types: ["x-scheme-handler/a"])]
      )
    ])
    #expect(found.result == Self.list(["text/html=web", "x-scheme-handler/a=mine"]))
    #expect(found.steps[0].chosen.map(\.type) == ["x-scheme-handler/a"])
  }

  @Test("Changes that were seen before keep their writers") func known() throws {
    let lines = ["text/html=taker", "x-scheme-handler/a=mine"]
    let known = AssociationComparison.Attribution(
      others: [
        .init(
          group: AssociationChange.defaults, type: "text/html", before: "web.desktop",
          after: "taker.desktop")
      ],
      user: [
        .init(
          group: AssociationChange.defaults, type: "x-scheme-handler/a", before: "web.desktop",
          after: "mine.desktop")
      ])
    for choosers in [[], Self.user] {
      let found = try comparison([(lines, choosers)], known: known)
      #expect(found.result == Self.list(["text/html=web", "x-scheme-handler/a=mine"]))
    }
  }

  @Test("Contents that are no key file are no step, and at the end there is no comparison")
  func broken() throws {
    let broken = AssociationComparison.Write(contents: Array("broken".utf8), choosers: Self.user)
    let taken = AssociationComparison.Write(
      contents: Self.list(["text/html=taker", "x-scheme-handler/a=web"]), choosers: [])
    let found = AssociationComparison(of: Self.before, [broken, taken]) { changes, _ in
      changes.map { ($0, .defaultTaken) }
    }
    #expect(found?.steps.count == 1)
    #expect(found?.result == Self.before)
    #expect(AssociationComparison(of: Self.before, [taken, broken]) { _, _ in [] } == nil)
  }
}
