import BusContract
import DBus
import FoundationEssentials
import Glibc
import LaunchRules
import Testing

@testable import LaunchServices

@MainActor @Suite struct `A delegate application` {
  let application = Application()
  let launchedForURL: Options = [
    Key.launchOptions: .options([
      Key.url: .string("good:x"), Key.sourceApplication: .string("com.example.opener"),
    ])
  ]
  let launched: Options = [Key.launchOptions: .options([:])]

  @Test("R5.4 a launch method that is left out has no voice") func silent() throws {
    let running = RunningApplication(SilentDelegate(), of: application)
    #expect(try running.finishLaunching(launched) == LaunchAnswers(will: nil, did: nil))
  }

  @Test("R5.4 one method out of two answers for itself") func onlyDid() throws {
    let running = RunningApplication(NewDelegate(), of: application)
    #expect(try running.finishLaunching(launched) == LaunchAnswers(will: nil, did: true))
  }

  @Test("R5.4 a refusal counts although the method asks a delegate without one")
  func refusing() throws {
    let running = RunningApplication(RefusingDelegate(), of: application)
    #expect(try running.finishLaunching(launched) == LaunchAnswers(will: false, did: nil))
  }

  @Test("R5.5 the old launch method is called and has no voice") func old() throws {
    let delegate = OldDelegate()
    let running = RunningApplication(delegate, of: application)
    #expect(try running.finishLaunching(launched) == LaunchAnswers())
    #expect(delegate.hasLaunched)
  }

  @Test("R5.6 the launch options say why") func launchOptions() throws {
    let delegate = NewDelegate()
    _ = try RunningApplication(delegate, of: application).finishLaunching(launchedForURL)
    let options = try #require(delegate.launchOptions)
    #expect(options.count == 2)
    #expect(options[.url] as? URL == URL(string: "good:x"))
    #expect(options[.sourceApplication] as? String == "com.example.opener")
  }

  @Test("R5.6 without a reason there are no launch options") func noReason() throws {
    let delegate = NewDelegate()
    delegate.launchOptions = [:]
    _ = try RunningApplication(delegate, of: application).finishLaunching(launched)
    #expect(delegate.launchOptions == nil)
  }

  @Test("R5.9 each URL is handed over in order and answered for itself") func opens() {
    let delegate = NewDelegate()
    let running = RunningApplication(delegate, of: application)
    #expect(
      running.open([ArrivingURL("good:1?a=%20"), ArrivingURL("bad:2"), ArrivingURL("good:3")])
        == [true, false, true])
    #expect(delegate.opened == ["good:1?a=%20", "bad:2", "good:3"])
  }

  @Test("R5.28 R5.30 documents come together to a delegate that takes them so, else one by one")
  func documents() {
    let delegate = DocumentDelegate()
    let documents = [ArrivingURL("file:///b"), ArrivingURL("file:///a")]
    #expect(RunningApplication(delegate, of: application).open(documents) == [true, true])
    #expect(delegate.opened == [["file:///b", "file:///a"]])
    let other = NewDelegate()
    _ = RunningApplication(other, of: application).open(documents)
    #expect(other.opened == ["file:///b", "file:///a"])
  }

  @Test("R5.24 a document that came as an open file is in the options") func openDocument() {
    let file = OwnedDescriptor(adopting: dup(0))
    let arriving = ArrivingURL("file:///a", [Key.descriptor: .descriptor(file)])
    let document = arriving.openURLOptions[.document] as? OpenDocument
    #expect(document?.fileDescriptor == file.number)
    #expect(ArrivingURL("file:///a").openURLOptions[.document] == nil)
  }

  @Test("R5.23 R5.24 the options of a URL") func openOptions() {
    let delegate = NewDelegate()
    let running = RunningApplication(delegate, of: application)
    let known: Options = [
      Key.sourceApplication: .string("com.example.opener"), Key.openInPlace: .boolean(true),
      Key.annotation: .options(["page": .uint32(7)]),
    ]
    _ = running.open([ArrivingURL("good:1", known), ArrivingURL("good:2")])
    #expect(delegate.openOptions[0][.sourceApplication] as? String == "com.example.opener")
    #expect(delegate.openOptions[0][.openInPlace] as? Bool == true)
    #expect(delegate.openOptions[0][.annotation] as? [String: Int] == ["page": 7])
    #expect(delegate.openOptions[1].isEmpty)
  }

  @Test("R5.10 of several open methods the newest is called") func newest() {
    let delegate = NewDelegate()
    _ = RunningApplication(delegate, of: application).open([ArrivingURL("bad:1")])
    #expect(delegate.diary == ["open"])
  }

  @Test("R5.10 older open methods are called when newer ones are missing") func older() {
    let middle = MiddleDelegate()
    let url = ArrivingURL("good:1", [Key.sourceApplication: .string("com.example.opener")])
    #expect(RunningApplication(middle, of: application).open([url]) == [true])
    #expect(middle.source == "com.example.opener")
    #expect(RunningApplication(OldDelegate(), of: application).open([url]) == [true])
  }

  @Test("an application without an open method handles nothing") func noOpen() {
    let running = RunningApplication(SilentDelegate(), of: application)
    #expect(running.open([ArrivingURL("good:1")]) == [false])
  }

  @Test("what Foundation does not take as a URL is not handled") func notAURL() {
    let delegate = NewDelegate()
    let running = RunningApplication(delegate, of: application)
    #expect(running.open([ArrivingURL(""), ArrivingURL("good:2")]) == [false, true])
    #expect(delegate.opened == ["good:2"])
  }

  @Test("A URL that comes again after a restart of the daemon is not opened a second time")
  func repeated() {
    let delegate = NewDelegate()
    let running = RunningApplication(delegate, of: application)
    let number: Options = ["request": .uint64(7)]
    let again = number.merging(["repeated": .boolean(true)]) { $1 }
    #expect(running.open([ArrivingURL("good:1", number)]) == [true])
    #expect(running.open([ArrivingURL("good:1", again)]) == [true])
    #expect(running.open([ArrivingURL("good:2", ["request": .uint64(8)])]) == [true])
    #expect(delegate.opened == ["good:1", "good:2"])
  }

  @Test("Several that come again get the answer of each, and none is opened a second time")
  func repeatedTogether() {
    let delegate = NewDelegate()
    let running = RunningApplication(delegate, of: application)
    let number: Options = ["request": .uint64(7)]
    let again = number.merging(["repeated": .boolean(true)]) { $1 }
    for options in [number, again] {
      #expect(
        running.open([ArrivingURL("", options), ArrivingURL("good:2", options)]) == [false, true])
    }
    #expect(delegate.opened == ["good:2"])
  }

  @Test("A quick action that comes again after a restart of the daemon is not performed again")
  func repeatedQuickAction() {
    let delegate = NewDelegate()
    let running = RunningApplication(delegate, of: application)
    var answers: [Bool] = []
    for isRepeated in [false, true] {
      running.performQuickAction(
        QuickAction(type: "search", title: "Search"), request: 7, isRepeated: isRepeated
      ) { answers.append($0) }
    }
    #expect(answers == [true, true])
    #expect(delegate.diary == ["action search"])
  }

  @Test("R5.22 a quick action is performed, or is not when there is no method for it")
  func quickActions() {
    let delegate = NewDelegate()
    var answers: [Bool] = []
    RunningApplication(delegate, of: application)
      .performQuickAction(QuickAction(type: "app://search", title: "T")) { answers.append($0) }
    RunningApplication(SilentDelegate(), of: application)
      .performQuickAction(QuickAction(type: "app://search", title: "T")) { answers.append($0) }
    #expect(answers == [true, false])
    #expect(delegate.diary == ["action app://search"])
  }

  @Test("R5.2 is what the daemon says it is, in the order in which it says so")
  func activeAfterOpen() throws {
    let delegate = NewDelegate()
    let running = RunningApplication(delegate, of: application)
    _ = try running.finishLaunching(launchedForURL)
    _ = running.open([ArrivingURL("good:x")])
    #expect(application.applicationState == .inactive)
    running.change(to: .active)
    _ = running.open([ArrivingURL("good:y")])
    #expect(delegate.diary == ["did", "open", "active", "open"])
  }

  @Test("R5.1 is told every step between two states") func states() {
    let delegate = NewDelegate()
    let running = RunningApplication(delegate, of: application)
    running.change(to: .active)
    running.change(to: .background)
    running.change(to: .background)
    running.change(to: .active)
    #expect(
      delegate.diary == ["active", "resign", "background", "foreground", "active"])
  }
}

@MainActor @Suite struct `A scene application` {
  let application = Application()

  private func context(_ url: String, _ options: Options = [:]) -> Value {
    .structure([.string(url), .options(options)])
  }

  private func launch(
    _ delegate: any ApplicationDelegate, _ connection: Options
  ) throws -> (RunningApplication, LaunchAnswers) {
    let running = RunningApplication(delegate, of: application)
    let answers = try running.finishLaunching([Key.connectionOptions: .options(connection)])
    return (running, answers)
  }

  private func scene(_ running: RunningApplication) throws -> RecordingScene {
    try #require(running.scene?.delegate as? RecordingScene)
  }

  @Test("R5.13 the launch methods see nil, the scene gets the URL") func cold() throws {
    let delegate = SceneApplication()
    let source: Options = [Key.sourceApplication: .string("com.example.opener")]
    let (running, answers) = try launch(
      delegate,
      [
        Key.urlContexts: .array(of: "(sa{sv})", [context("iapp://app?id=1", source)]),
        Key.sourceApplication: .string("com.example.opener"),
      ])
    #expect(answers == LaunchAnswers(will: false, did: nil))
    #expect(delegate.launchOptions == nil)
    let connection = try #require(try scene(running).connection)
    #expect(connection.urlContexts.map(\.url.absoluteString) == ["iapp://app?id=1"])
    #expect(connection.urlContexts.first?.options.sourceApplication == "com.example.opener")
    #expect(connection.urlContexts.first?.options.openInPlace == false)
    #expect(connection.sourceApplication == "com.example.opener")
    #expect(connection.shortcutItem == nil)
  }

  @Test("R5.22 a quick action that launches is in the connection options") func coldAction() throws
  {
    let (running, _) = try launch(
      SceneApplication(), [Key.shortcutItem: .string("iapp://search")])
    let connection = try #require(try scene(running).connection)
    #expect(connection.shortcutItem == ApplicationShortcutItem(type: "iapp://search"))
    #expect(connection.urlContexts.isEmpty)
    #expect(try scene(running).actions.isEmpty)
  }

  @Test("R5.15 URLs arrive as one set, and two that are equal are two") func warm() throws {
    let (running, _) = try launch(SceneApplication(), [:])
    #expect(running.open([ArrivingURL("a:1"), ArrivingURL("a:1")]) == [true, true])
    #expect(try scene(running).arrived.map(\.count) == [2])
  }

  @Test("a text that is no URL is left out of the set") func notAURL() throws {
    let (running, _) = try launch(SceneApplication(), [:])
    #expect(running.open([ArrivingURL(""), ArrivingURL("a:1")]) == [false, true])
    #expect(running.open([ArrivingURL("")]) == [false])
    #expect(try scene(running).arrived.map(\.count) == [1])
  }

  @Test("R5.22 a quick action goes to the scene") func warmAction() throws {
    let (running, _) = try launch(SceneApplication(), [:])
    var answers: [Bool] = []
    running.performQuickAction(QuickAction(type: "iapp://rank", title: "T")) { answers.append($0) }
    #expect(answers == [true])
    #expect(try scene(running).actions == ["iapp://rank"])
  }

  @Test("a scene without a method for URLs handles nothing") func silent() throws {
    let (running, _) = try launch(SilentSceneApplication(), [:])
    #expect(running.open([ArrivingURL("a:1")]) == [false])
  }

  @Test("a property list with scenes needs a class with scenes") func misconfigured() {
    for delegate in [SilentDelegate(), WrongSceneApplication()] as [any ApplicationDelegate] {
      let running = RunningApplication(delegate, of: application)
      #expect(throws: StartFailure.noSceneDelegate(in: type(of: delegate))) {
        try running.finishLaunching([Key.connectionOptions: .options([:])])
      }
    }
  }

  @Test("the class of the scene may be optional or not, any class or one")
  func formsOfTheClass() throws {
    let delegates: [any ApplicationDelegate] = [
      SilentSceneApplication(), ExistentialSceneApplication(), ClassSceneApplication(),
      ConstantSceneApplication(), OptionalClassSceneApplication(),
    ]
    for delegate in delegates {
      let running = RunningApplication(delegate, of: application)
      _ = try running.finishLaunching([Key.connectionOptions: .options([:])])
      #expect(running.scene?.delegate is SilentScene, "\(delegate)")
    }
  }
}

@MainActor @Suite struct `How an application is asked to launch` {
  static let hints: Options = [
    Key.hidden: .boolean(true), Key.fresh: .boolean(true), Key.launchImage: .string("/a.png"),
  ]
  static let action: Options = [
    Key.shortcutItem: .string("open"),
    Key.shortcutItemDetails: .options([Key.title: .string("Vacation")]),
  ]
  static let item = ApplicationShortcutItem(type: "open", localizedTitle: "Vacation")

  @Test("R5.22 a delegate finds hints and quick action in its launch options")
  func delegate() throws {
    let delegate = NewDelegate()
    _ = try RunningApplication(delegate, of: Application()).finishLaunching([
      Key.launchOptions: .options(Self.hints.merging(Self.action) { $1 })
    ])
    let options = try #require(delegate.launchOptions)
    #expect(options.count == 4)
    #expect(options[.launchImage] as? String == "/a.png")
    #expect(options[.hidden] as? Bool == true)
    #expect(options[.fresh] as? Bool == true)
    #expect(options[.shortcutItem] as? ApplicationShortcutItem == Self.item)
  }

  @Test("R5.22 a scene finds them in its connection options") func scene() throws {
    let running = RunningApplication(SceneApplication(), of: Application())
    _ = try running.finishLaunching([
      Key.connectionOptions: .options(Self.hints.merging(Self.action) { $1 })
    ])
    let scene = try #require(running.scene?.delegate as? RecordingScene)
    let connection = try #require(scene.connection)
    #expect(connection.isHidden)
    #expect(connection.isFresh)
    #expect(connection.launchImage == "/a.png")
    #expect(connection.shortcutItem == Self.item)
  }

  @Test("a quick action that a scene was connected for is not performed again")
  func repeatedAction()
    throws
  {
    let running = RunningApplication(SceneApplication(), of: Application())
    _ = try running.finishLaunching([
      Key.connectionOptions: .options(Self.action.merging([Key.request: .uint64(7)]) { $1 })
    ])
    let scene = try #require(running.scene?.delegate as? RecordingScene)
    var answers: [Bool] = []
    let action = QuickAction(type: "open", details: [:])
    running.performQuickAction(action, request: 7, isRepeated: true) { answers.append($0) }
    #expect(answers == [true])
    #expect(scene.actions == [])
  }

  @Test("an activation token comes with the URL") func activationToken() {
    let url = ArrivingURL("a:1", [Key.activationToken: .string("x")])
    #expect(url.openURLOptions[.activationToken] as? String == "x")
    #expect(url.context?.options.activationToken == "x")
  }
}
