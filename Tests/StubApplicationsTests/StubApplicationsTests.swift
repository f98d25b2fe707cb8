import Foundation
import StubApplications
import Testing

struct StubBehaviourTests {
  @Test func theLastActCountsForAllFurtherDeliveries() throws {
    let behaviour = try StubBehaviour(word: "accept,crash")
    #expect((0...3).map(behaviour.act) == [.accept, .crash, .crash, .crash])
    #expect(behaviour.launch == nil)
  }

  @Test func anActOfTheLaunchIsNoDelivery() throws {
    let behaviour = try StubBehaviour(word: "refuse,veto")
    #expect(behaviour.launch == .veto)
    #expect(behaviour.act(forDelivery: 0) == .refuse)
    #expect(behaviour.word == "veto,refuse")
  }

  @Test func anUnknownWordIsNamedWithTheKnownOnes() {
    #expect(
      throws: StubBehaviour.Wrong(
        problem: "'explode' is not a behaviour; the behaviours are veto, hang-at-launch,"
          + " crash-at-launch, accept, refuse, hang, crash")
    ) { try StubBehaviour(word: "accept,explode") }
  }

  @Test func twoActsOfTheLaunchAreRefused() {
    #expect(
      throws: StubBehaviour.Wrong(
        problem: "'veto,hang-at-launch' has two behaviours of the launch; name one")
    ) { try StubBehaviour(word: "veto,hang-at-launch") }
  }
}

struct StubEventTests {
  @Test func aLogIsReadBackWithoutLinesThatAreNoEvents() {
    let event = StubEvent(
      application: "com.example.photos", process: 7, callback: .openURLContexts,
      urls: ["photos:1"], source: "com.example.mail")
    #expect(
      event.line
        == #"{"application":"com.example.photos","callback":"openURLContexts","links":[],"#
        + #""process":7,"source":"com.example.mail","urls":["photos:1"]}"#)
    #expect(
      StubEvent.read(Data((event.line + "\nnonsense\n" + event.line + "\n").utf8)) == [
        event, event,
      ])
    #expect(
      event.sentence == "com.example.photos openURLContexts photos:1 (from com.example.mail)")
  }

  @Test func aSceneThatConnectsWithoutContentsIsNoDelivery() {
    #expect(!StubEvent(application: "a", process: 1, callback: .willConnectTo).isDelivery)
    #expect(
      StubEvent(application: "a", process: 1, callback: .willConnectTo, links: ["https://x.y"])
        .isDelivery)
  }
}

struct PropertyTreeTests {
  @Test func jsonAndPropertyListsGiveTheSameTree() throws {
    let json = #"{"a": [1, 1.5, true, "x", "aGk="], "b": {"c": null}}"#
    #expect(
      try PropertyTree(json: Data(json.utf8))
        == .dictionary([
          "a": .array([
            .integer(1), .double(1.5), .boolean(true), .string("x"), .string("aGk="),
          ]), "b": .dictionary(["c": .null]),
        ]))
    let tree = PropertyTree.dictionary([
      "a": .array([.integer(1), .double(1.5), .boolean(true), .string("x"), .data(Data([1, 2]))]),
      "d": .date(Date(timeIntervalSince1970: 1_000_000)),
    ])
    #expect(try PropertyTree(propertyList: tree.xml()) == tree)
  }

  @Test func theStubReplacesTheProgram() throws {
    let list = StubPropertyList(
      program: "/usr/libexec/launch-services/scripted-handler", try StubBehaviour(word: "hang"),
      log: "/tmp/log", opensTogether: true)
    let tree = PropertyTree.dictionary([
      "CFBundleIdentifier": .string("com.example.photos"), "CFBundleExecutable": .string("Photos"),
    ])
    #expect(
      try PropertyTree(propertyList: list.replacingProgram(of: tree))
        == .dictionary([
          "CFBundleIdentifier": .string("com.example.photos"),
          "ProgramArguments": .array(
            [
              "/usr/libexec/launch-services/scripted-handler", "--stub", "--behaviour", "hang",
              "--log", "/tmp/log", "--open-together", "--",
            ].map(PropertyTree.string)),
        ]))
  }
}
