import Glibc
import LaunchRules
import TemporaryFolders
import Testing

@testable import Host

/// The processes that may have started one that has lost its parent.
@MainActor @Suite("The survey of processes", .timeLimit(.minutes(30))) struct ProcessSurveyTests {
  /// A process that begins now and has lost its parent, alone in its session.
  private var orphan: ProcessDetails {
    let ticks = Time.microsecondsSinceBoot() * UInt64(sysconf(Int32(_SC_CLK_TCK))) / 1_000_000
    return ProcessDetails(pid: .max, parent: 1, startTime: ticks + 1)
  }

  private func programs(_ start: WebOrigin.Start) throws -> [String] {
    guard case .adopted(let programs) = start else {
      Issue.record("\(start)")
      return []
    }
    return programs
  }

  @Test("finds programs by the names of their files, also those that began a moment ago")
  func names() async throws {
    let folder = try TemporaryFolder()
    // No control group is known of the orphan, so that all of them may have started it.
    #expect(try !programs(ProcessSurvey().start(of: [orphan])).contains("a browser"))
    try folder.copyElsewhere("/bin/sleep".resolved ?? "", to: "a browser")
    let browser = try ChildProcess(
      Launch(executable: folder["a browser"], arguments: ["100"])
    ) { _ in }
    defer { browser.signal(SIGKILL) }
    let programs = try programs(ProcessSurvey().start(of: [orphan]))
    #expect(programs.contains("a browser"))
    #expect(programs == Set(programs).sorted())
    #expect(!programs.contains { $0.hasPrefix("kworker") })
  }

  /// Starts a copy of sleep(1) that is called like a browser, and returns when it runs.
  private func startBrowser(
    _ name: String, in folder: TemporaryFolder, _ environment: [String: String] = [:],
    through wrapper: [String] = []
  ) throws -> ChildProcess {
    try folder.copyElsewhere("/bin/sleep".resolved ?? "", to: name)
    let line = wrapper + [folder[name], "100"]
    return try ChildProcess(
      Launch(
        executable: line[0], arguments: Array(line.dropFirst()), environment: environment)
    ) { _ in }
  }

  @Test(
    "counts no browser of another session of the user, which has another bus and runtime folder")
  func otherSession() async throws {
    let folder = try TemporaryFolder()
    let own = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/a", "XDG_RUNTIME_DIR": "/a"]
    let other = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/b", "XDG_RUNTIME_DIR": "/b"]
    let browsers = [
      try startBrowser("waterfox", in: folder, other), try startBrowser("falkon", in: folder, own),
      try startBrowser("librewolf", in: folder),
    ]
    defer { for browser in browsers { browser.signal(SIGKILL) } }
    let counted = try programs(ProcessSurvey(session: own).start(of: [orphan]))
    #expect(!counted.contains("waterfox"))
    // Nothing is known of the last one.
    #expect(counted.contains("falkon") && counted.contains("librewolf"))
    #expect(try programs(ProcessSurvey(session: [:]).start(of: [orphan])).contains("waterfox"))
  }

  @Test("counts no browser of another user", .enabled(if: geteuid() == 0, "needs root"))
  func otherUser() async throws {
    let folder = try TemporaryFolder()
    #expect(unsafe chmod(folder.path, 0o755) == 0)
    // It has dropped its rights before it becomes the browser.
    let browser = try startBrowser(
      "qutebrowser", in: folder, through: ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"])
    defer { browser.signal(SIGKILL) }
    while ProcessDetails(of: browser.pid)?.name == "setpriv" { await Task.yield() }
    try #require(ProcessDetails(of: browser.pid)?.name == "qutebrowser")
    #expect(try !programs(ProcessSurvey().start(of: [orphan])).contains("qutebrowser"))
  }

  // Each question has its own survey: on a busy machine, one reading can use up the time for readings.
  @Test("counts none that began later") func none() async throws {
    let old = ProcessDetails(pid: .max, parent: 1)
    let own = try #require(ProcessDetails(of: getpid())?.name)
    #expect(try !programs(ProcessSurvey().start(of: [old])).contains(own))
    #expect(try programs(ProcessSurvey().start(of: [orphan])).contains(own))
  }

  @Test("says that nothing is known when it is asked about too many new processes") func flood() {
    let survey = ProcessSurvey()
    var asked = 0
    while survey.start(of: [orphan]) != .unknown, asked < 100_000 { asked += 1 }
    #expect((1..<100_000).contains(asked))
    // What was read serves for those that began before.
    #expect(survey.start(of: [ProcessDetails(pid: .max, parent: 1)]) != .unknown)
  }

  /// With thousands of processes, a reading kept all callers waiting for a fifth of a second.
  @Test("answers later, when it has to read: all who ask meanwhile get an answer")
  func later() async {
    let survey = ProcessSurvey()
    let old = ProcessDetails(pid: .max, parent: 1)
    var answers: [WebOrigin.Start] = []
    await withCheckedContinuation { continuation in
      for _ in 0..<3 {
        survey.findStart(of: [old]) {
          answers.append($0)
          if answers.count == 3 { continuation.resume() }
        }
      }
      #expect(answers.isEmpty)
    }
    #expect(!answers.contains(.unknown))
    // What was read serves for those that began before.
    survey.findStart(of: [old]) { answers.append($0) }
    #expect(answers.count == 4)
  }

  @Test("of nothing says that nothing is known") func nothing() {
    #expect(ProcessSurvey().start(of: []) == .unknown)
  }
}
