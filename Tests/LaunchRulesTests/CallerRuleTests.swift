import LaunchRules
import Testing

private let photos = Sample.id("com.example.photos")
private let mail = Sample.id("com.example.mail")
private let laptop = RemoteName("laptop")!
private let ssh = Outsider(program: "ssh", otherNamespaces: [])!
private let container = Outsider(program: "sh", otherNamespaces: ["user", "pid"])!
private let bridge = CallerRule.Application(Sample.id("com.example.bridge"), .desktopBridge)

@Suite("Who a caller is") struct CallerRuleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let evidence: CallerRule.Evidence
    /// Nil when it cannot be known.
    let caller: Caller?

    init(
      _ testDescription: String, _ caller: Caller?,
      _ change: (inout CallerRule.Evidence) -> Void = { _ in }
    ) {
      self.testDescription = testDescription
      self.caller = caller
      var evidence = CallerRule.Evidence()
      change(&evidence)
      self.evidence = evidence
    }
  }

  static let cases = [
    Case("nothing is known of it", .unidentified),
    Case("its executable cannot be read", nil) { $0.executable = .unreadable },
    Case("its connection was made to the socket of a remote", .remote(laptop)) {
      $0.remote = laptop
      $0.executable = .unreadable
    },
    Case("it forwards for others", .outsider(ssh)) { $0.outsider = ssh },
    Case(
      "it runs in a container, and is the executable of an application",
      .application(photos, .executable)
    ) {
      $0.outsider = container
      $0.executable = .of(photos)
    },
    Case(
      "it runs in a container that Flatpak made for an application", .application(photos, .sandbox)
    ) {
      $0.outsider = container
      $0.sandbox = photos
    },
    Case("it runs in a container, started by the application", .application(photos, .processTree)) {
      $0.outsider = container
      $0.started = .init(.init(photos))
    },
    Case("its executable was that of an application, and was replaced", nil) {
      $0.executable = .replaced(photos)
    },
    Case("its executable cannot be read, and its sandbox says something", nil) {
      $0.executable = .unreadable
      $0.sandbox = photos
    },
    Case("it was started, and hides its executable", .application(photos, .processTree)) {
      $0.started = .init(.init(photos))
      $0.executable = .unreadable
    },
    Case("it checked in", .application(photos, .checkedIn)) {
      $0.connection = photos
      $0.started = .init(.init(mail))
      $0.executable = .of(mail)
    },
    Case("its process checked in elsewhere", .application(photos, .process)) {
      $0.process = photos
      $0.executable = .of(mail)
    },
    Case("it descends from an application and runs another", .application(photos, .processTree)) {
      $0.started = .init(.init(photos))
      $0.unit = .init(mail)
      $0.executable = .of(mail)
      $0.sandbox = mail
    },
    Case("it is in a unit that was started", .application(photos, .unit)) {
      $0.started = .init(.init(photos), isInTree: false)
    },
    Case("it is in a unit that the desktop has named", .application(photos, .unit)) {
      $0.unit = .init(photos)
      $0.executable = .of(mail)
    },
    Case("it descends from the only application", .application(photos, .processTree)) {
      $0.descendant = .of(photos, isSandboxed: true)
      $0.executable = .of(mail)
    },
    Case("it descends from one of several, and runs one", .orphan(isSandboxed: true)) {
      $0.descendant = .ofSeveral(isSandboxed: true)
      $0.executable = .of(mail)
    },
    Case("it descends from the daemon, which has started nothing", .unidentified) {
      $0.descendant = .ofNobody
    },
    Case("it runs the executable of an application", .application(photos, .executable)) {
      $0.executable = .of(photos)
      $0.sandbox = mail
    },
    Case("it runs in the sandbox of an application", .application(photos, .sandbox)) {
      $0.sandbox = photos
    },
    Case("the desktop bridge", .application(bridge.identifier, .processTree)) {
      $0.started = .init(bridge, isItself: true)
    },
    Case("what the bridge has started", .unidentified) {
      $0.started = .init(bridge)
      $0.unit = bridge
      $0.descendant = .ofSeveral(isSandboxed: true)
    },
    Case("what the bridge has started, in its own unit", .application(photos, .unit)) {
      $0.started = .init(bridge)
      $0.unit = .init(photos)
    },
    Case("what the bridge left behind, which is all that was started", .unidentified) {
      $0.descendant = .of(bridge.identifier, isSandboxed: false)
      $0.descendsFromBridge = true
    },
    Case("what was started for a desktop entry", .application(browser.identifier, .processTree)) {
      $0.started = .init(browser)
      $0.unit = browser
    },
    Case("a program in the unit of a desktop entry", .application(browser.identifier, .unit)) {
      $0.unit = browser
    },
    Case(
      "what a desktop entry has started, with a registered executable",
      .application(mail, .executable)
    ) {
      $0.started = .init(browser)
      $0.executable = .of(mail)
    },
    Case("a sandbox in the unit of a desktop entry", .application(photos, .sandbox)) {
      $0.unit = browser
      $0.sandbox = photos
    },
    Case("a program in the unit of a desktop entry that hides its executable", nil) {
      $0.unit = browser
      $0.executable = .unreadable
    },
    Case("a shell in the terminal of an application", .unidentified) {
      $0.unit = browser
      $0.hasTerminal = true
    },
    Case("a shell in the terminal of an application that was started", .unidentified) {
      $0.started = .init(browser)
      $0.unit = browser
      $0.hasTerminal = true
    },
    Case("a program in a terminal emulator", .unidentified) { $0.unit = terminal },
    Case("a program of a terminal emulator in the unit of another", .unidentified) {
      $0.started = .init(terminal)
      $0.unit = browser
    },
    Case("an application with a property list, in a terminal", .application(photos, .unit)) {
      $0.unit = .init(photos)
      $0.hasTerminal = true
    },
  ]

  private static let browser = CallerRule.Application(
    Sample.id("firefox.desktop"), .desktopEntry(isTerminal: false))
  private static let terminal = CallerRule.Application(
    Sample.id("org.kde.konsole.desktop"), .desktopEntry(isTerminal: true))

  @Test(arguments: cases) func decides(_ example: Case) {
    #expect(CallerRule.caller(example.evidence) == example.caller)
  }
}
