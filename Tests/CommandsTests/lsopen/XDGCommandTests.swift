import BusContract
import Commands
import DBus
import Foundation
import TemporaryFolders
import Testing

@testable import lsopen

/// `lsopen` under the names of xdg-utils.
@Suite struct XDGCommandTests {
  private struct Ended: Equatable {
    var outcome: XDGUtility.Outcome
    var standardOutput = ""
    var standardError = ""
  }

  private func run(
    _ utility: XDGUtility, _ arguments: [String], _ script: ScriptedService = ScriptedService(),
    mayBeOutdated: Bool = false
  ) -> Ended {
    let screen = Screen()
    let command = OpenCommand(
      service: script.service, output: screen.output(of: utility.rawValue),
      environment: { _ in nil },
      folder: "/usr", newRequestID: { "id" })
    let xdg = XDGCommand(
      utility: utility, command: command, showManual: { _ in .toolMissing },
      mayBeOutdated: { mayBeOutdated })
    let outcome = xdg.run(arguments)
    return Ended(
      outcome: outcome, standardOutput: screen.standardOutput, standardError: screen.standardError)
  }

  private static let answers = Result<[Value], ServiceFailure>.success([.variant(.uint64(7))])
  private static let receipt = Result<[Value], ServiceFailure>.success([
    .options([
      "handler": .string("com.a"), "launch": .string("cold"), "delivery": .string("delivered"),
      "handled": .boolean(true),
    ])
  ])

  private static func refused(_ name: String) -> Result<[Value], ServiceFailure> {
    .failure(
      .refused(BusError(ErrorName("org.launchservices.Error." + name)!, "why")))
  }

  @Test("the name is the last part of the path by which the program was started")
  func names() {
    #expect(XDGUtility(invocation: "/usr/libexec/x/xdg-open") == .open)
    #expect(XDGUtility(invocation: "xdg-mime") == .mime)
    #expect(XDGUtility(invocation: "/opt/xdg-open/lsopen") == nil)
    #expect(XDGUtility(invocation: "") == nil)
  }

  @Test("xdg-open opens one URL or file, also with spaces in its name, and is silent")
  func opens() {
    let script = ScriptedService(Self.answers, Self.receipt)
    #expect(run(.open, ["myapp:a b"], script) == Ended(outcome: .status(.success)))
    #expect(script.calls.last?.arguments.first == .string("myapp:a b"))
    #expect(script.calls.last?.arguments.last?.asOptions?["any-characters"] == .boolean(true))
  }

  @Test(
    "xdg-open ends with the status of its manual page",
    arguments: [
      ([], .syntaxError, "file or URL argument missing"),
      ([""], .syntaxError, "file or URL argument missing"),
      (["a:", "b:"], .syntaxError, "unexpected argument 'b:'"),
      (["--foo"], .syntaxError, "unexpected option '--foo'"),
      (["-b", "com.a"], .syntaxError, "unexpected option '-b'"),
    ] as [([String], XDGUtility.Status, String)])
  func syntax(arguments: [String], status: XDGUtility.Status, reason: String) {
    let script = ScriptedService()
    #expect(
      run(.open, arguments, script)
        == Ended(
          outcome: .status(status),
          standardError: "xdg-open: \(reason)\nTry 'xdg-open --help' for more information.\n"))
    #expect(script.calls == [])
  }

  @Test(
    "xdg-settings ends with 1 where the scheme or the desktop entry is missing",
    arguments: [
      (["get"], "a URL scheme is missing after default-url-scheme-handler"),
      (["check"], "a URL scheme is missing after default-url-scheme-handler"),
      (["set", "tg"], "a desktop entry is missing after the scheme tg"),
      (["check", "tg"], "a desktop entry is missing after the scheme tg"),
    ] as [([String], String)])
  func missingArguments(arguments: [String], reason: String) {
    var arguments = arguments
    arguments.insert("default-url-scheme-handler", at: 1)
    let script = ScriptedService()
    #expect(
      run(.settings, arguments, script)
        == Ended(
          outcome: .status(.syntaxError),
          standardError:
            "xdg-settings: \(reason)\nTry 'xdg-settings --help' for more information.\n"))
    #expect(script.calls == [])
  }

  @Test("A missing file ends with 2, and a failed open with 4") func failures() {
    let missing = run(.open, ["no such file"], ScriptedService(Self.answers))
    #expect(missing.outcome == .status(.noSuchFile))
    #expect(missing.standardError.hasPrefix("xdg-open: "))
    let failed = run(
      .open, ["nobody:"], ScriptedService(Self.answers, Self.refused("ApplicationNotFound")))
    #expect(failed == Ended(outcome: .status(.failed), standardError: "xdg-open: why\n"))
  }

  @Test("Without a daemon the next xdg-open is to open the URL, and nothing was sent")
  func withoutDaemon() {
    let script = ScriptedService(.failure(.noSessionBus("there is none")))
    let ended = run(.open, ["a:"], script)
    guard case .passOn(.toolMissing, let reason) = ended.outcome else {
      Issue.record("\(ended)")
      return
    }
    #expect(reason.hasPrefix("the session bus cannot be reached: there is none"))
    #expect(script.calls.map(\.member) == ["Get"])
  }

  @Test("A daemon that ends while it opens the URL is not passed over: the URL may have arrived")
  func lostDaemon() {
    let script = ScriptedService(Self.answers, .failure(.noSessionBus("gone")))
    #expect(run(.open, ["a:"], script).outcome == .status(.toolMissing))
  }

  private static func handler(
    _ identifier: String, origin: String, isExported: Bool = false
  ) -> ScriptedService {
    ScriptedService(
      .success([.string(identifier)]),
      .success([
        .optionsList([["bundle-identifier": .string(identifier), "origin": .string(origin)]])
      ]),
      .success([.variant(.boolean(isExported))]))
  }

  @Test("Questions for the handler of a scheme are answered with its desktop entry") func handlers()
  {
    let query = ["query", "default", "x-scheme-handler/tg"]
    #expect(
      run(.mime, query, Self.handler("telegram.desktop", origin: "desktop-entry"))
        == Ended(outcome: .status(.success), standardOutput: "telegram.desktop\n"))
    #expect(
      run(.mime, query, Self.handler("com.a-b", origin: "property-list", isExported: true))
        == Ended(
          outcome: .status(.success),
          standardOutput: "org.launchservices.handler.com.a_b.desktop\n"))
    // No desktop entry leads to it.
    #expect(
      run(.mime, query, Self.handler("com.a-b", origin: "property-list"))
        == Ended(outcome: .status(.success)))
    #expect(
      run(.mime, query, ScriptedService(Self.refused("ApplicationNotFound")))
        == Ended(outcome: .status(.success)))
    let get = ["get", "default-url-scheme-handler", "tg"]
    #expect(
      run(.settings, get, Self.handler("telegram.desktop", origin: "desktop-entry"))
        == Ended(outcome: .status(.success), standardOutput: "telegram.desktop\n"))
    for (entry, answer) in [("telegram.desktop", "yes\n"), ("other.desktop", "no\n")] {
      #expect(
        run(
          .settings, ["check", "default-url-scheme-handler", "tg", entry],
          Self.handler("telegram.desktop", origin: "desktop-entry"))
          == Ended(outcome: .status(.success), standardOutput: answer))
    }
  }

  @Test("Just after a change of the user's lists, they are read before the question")
  func afterChange() {
    for mayBeOutdated in [true, false] {
      let script = ScriptedService()
      _ = run(
        .mime, ["query", "default", "x-scheme-handler/tg"], script, mayBeOutdated: mayBeOutdated)
      #expect((script.calls.first?.member == "Reload") == mayBeOutdated)
    }
  }

  @Test("A change of the user's lists is recent for some seconds") func recentChange() throws {
    let folder = try TemporaryFolder()
    func haveChanged() -> Bool {
      let variables = ["HOME": folder.path, "XDG_DATA_HOME": folder["data"]]
      return RecentAssociations(variable: { variables[$0] }).haveChanged()
    }
    #expect(!haveChanged())
    try folder.makeFolder("data/applications")
    #expect(haveChanged())
  }

  @Test(
    "All else is for the next command of this name",
    arguments: [
      (.mime, ["query", "default", "text/plain"]), (.mime, ["query", "filetype"]),
      (.mime, ["default", "a.desktop", "text/plain"]), (.mime, []),
      (.settings, ["get", "default-web-browser"]), (.settings, ["--list"]),
    ] as [(XDGUtility, [String])])
  func others(utility: XDGUtility, arguments: [String]) {
    let script = ScriptedService()
    guard case .passOn(.toolMissing, _) = run(utility, arguments, script).outcome else {
      Issue.record("it was not passed on")
      return
    }
    #expect(script.calls == [])
  }

  @Test("The type of a file and the default for a scheme are for the program of desktops")
  func onDesktop() {
    let script = ScriptedService()
    #expect(
      run(.mime, ["query", "filetype", "a b"], script).outcome
        == .performOnDesktop(["filetype", "a b"]))
    #expect(
      run(.settings, ["set", "default-url-scheme-handler", "tg", "a.desktop"], script).outcome
        == .performOnDesktop(["default", "tg", "a.desktop"]))
    #expect(script.calls == [])
  }

  @Test("An application that may not ask the registry is served by the next command")
  func notPermitted() {
    let ended = run(
      .mime, ["query", "default", "x-scheme-handler/tg"],
      ScriptedService(Self.refused("NotPermitted")))
    #expect(ended.outcome == .passOn(otherwise: .failed, reason: "why"))
  }

  @Test(arguments: XDGUtility.allCases) func help(utility: XDGUtility) {
    let help = run(utility, ["--help"])
    #expect(help.outcome == .status(.success))
    #expect(help.standardOutput.hasPrefix("Usage: \(utility.rawValue) "))
    #expect(
      run(utility, ["--version"]).standardOutput == "\(utility.rawValue) of lsopen \(version)\n")
  }

  @Test("The next program is another file of this name that can be executed") func next() throws {
    let folder = NSTemporaryDirectory() + "xdg-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in ["/a", "/b", "/c"] {
      try FileManager.default.createDirectory(
        atPath: folder + name, withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/a/xdg-open", withDestinationPath: "/usr/bin/env")
    try Data().write(to: URL(fileURLWithPath: folder + "/b/xdg-open"))
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/c/xdg-open", withDestinationPath: "/usr/bin/true")
    let path = "relative::\(folder)/none:\(folder)/a:\(folder)/b:\(folder)/c"
    #expect(
      NextProgram.find("xdg-open", in: path, besides: "/usr/bin/env") == folder + "/c/xdg-open")
    #expect(
      NextProgram.find("xdg-open", in: "\(folder)/a:\(folder)/b", besides: "/usr/bin/env") == nil)
  }
}
