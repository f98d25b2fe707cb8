import BusContract
import Commands
import DBus
import LaunchRules
import Testing

@testable import lsopen

@Suite struct OpenCommandTests {
  private static let receipt = Value.options([
    "request": .uint64(7), "handler": .string("com.a"), "launch": .string("cold"),
    "delivery": .string("delivered"), "handled": .boolean(true), "pid": .uint32(42),
    "trail": .array(of: "(st)", [.structure([.string("accepted"), .uint64(1)])]),
  ])

  private static let notFound = ServiceFailure.refused(
    BusError(
      "org.launchservices.Error.ApplicationNotFound",
      "No application knows how to open x:1 (OSStatus error -10814)"))

  @Test("R7.1 an open that succeeds prints nothing and has no time limit")
  func opens() {
    let script = ScriptedService(.success([Self.receipt]))
    #expect(runOpen(["x:1"], script) == Ending(.success))
    #expect(
      script.calls == [
        .init(member: "OpenURL", arguments: [.string("x:1"), .options([:])], milliseconds: nil)
      ])
  }

  @Test("--json prints the receipt of each URL on a line of its own")
  func printsReceipts() {
    let script = ScriptedService(
      .success([Self.receipt]), .failure(Self.notFound), .success([.options([:])]))
    #expect(
      runOpen(["--json", "a:1", "x:1", "b:1"], script)
        == Ending(
          .failed,
          #"{"delivery":"delivered","handled":true,"handler":"com.a","launch":"cold","pid":42,"#
            + #""request":7,"trail":[{"state":"accepted","microseconds":1}],"url":"a:1"}"# + "\n"
            + #"{"error":"ApplicationNotFound","#
            + #""message":"No application knows how to open x:1 (OSStatus error -10814)","url":"x:1"}"#
            + "\n" + #"{"url":"b:1"}"# + "\n",
          error: "lsopen: x:1: No application knows how to open x:1 (OSStatus error -10814)\n"))
  }

  private static func receipt(_ delivery: String, handled: Bool) -> Value {
    .options(
      (receipt.asOptions ?? [:]).merging(
        ["delivery": .string(delivery), "handled": .boolean(handled)]) { $1 })
  }

  static let remarks: [(Value, String)] = [
    (
      receipt("delivered", handled: false),
      "lsopen: com.a received the request and reported it as not handled\n"
    ),
    (
      receipt("vetoed", handled: false),
      "lsopen: a launch method of com.a refused the request\n"
    ),
    (receipt("unacknowledged", handled: false), ""),
  ]

  @Test("R5.9 a URL that was not handled is no failure, and lsopen says so", arguments: remarks)
  func tellsUnhandled(answer: Value, line: String) {
    #expect(runOpen(["x:1"], ScriptedService(.success([answer]))) == Ending(.success, error: line))
  }

  @Test(
    "an opener on a remote learns why the browser does not reach its port, and an opener here does not",
    arguments: CallbackProblem.allCases)
  func callback(problem: CallbackProblem) {
    func error(_ path: String?) -> String {
      let answer = Value.options([
        "request": .uint64(7), "delivery": .string("delivered"), "handled": .boolean(true),
        "trail": .trail([RequestStep(problem.step, at: 1)]),
      ])
      let script = ScriptedService(.success([answer]))
      script.remotePath = path
      let ending = runOpen(["https://a.example/"], script)
      #expect(ending.code == .success)
      return ending.standardError
    }
    #expect(error("/run/remote") == "lsopen: \(problem.sentence)\n")
    #expect(error(nil) == "")
  }

  @Test("R5.9 of several URLs the one that was not handled is named")
  func remarkOfSeveral() {
    let script = ScriptedService(
      .success([Self.receipt]), .success([Self.receipt("delivered", handled: false)]))
    #expect(
      runOpen(["a:1", "b:1"], script)
        == Ending(
          .success,
          error: "lsopen: b:1: com.a received the request and reported it as not handled\n"))
  }

  @Test("several URLs are opened in order, and the code is that of the first that failed")
  func firstFailureDecides() {
    let script = ScriptedService(.success([Self.receipt]), .failure(Self.notFound))
    #expect(
      runOpen(["a:1", "missing", "x:1"], script)
        == Ending(
          .noSuchFile,
          error: """
            lsopen: missing: The file /usr/missing does not exist. To open a URL, write a colon after its scheme: missing:
            lsopen: x:1: No application knows how to open x:1 (OSStatus error -10814)

            """))
    #expect(script.calls.map(\.arguments.first) == [.string("a:1"), .string("x:1")])
  }

  @Test("R7.6 a path that is missing is named as open(1) does, and nobody is asked")
  func missingFile() {
    let script = ScriptedService()
    #expect(
      runOpen(["./no such"], script)
        == Ending(.noSuchFile, error: "lsopen: The file /usr/no such does not exist.\n"))
    #expect(script.calls.isEmpty)
  }

  @Test("R7.1 a path that exists is opened as a file URL")
  func file() {
    let script = ScriptedService(.success([Self.receipt]))
    #expect(runOpen(["bin"], script) == Ending(.success))
    #expect(script.calls.first?.arguments.first == .string("file:///usr/bin"))
  }

  @Test("without the daemon the other URLs are not tried")
  func noDaemon() {
    let script = ScriptedService(.failure(.noSessionBus("no such socket")))
    #expect(
      runOpen(["a:1", "b:1"], script)
        == Ending(
          .serviceUnreachable,
          error: "lsopen: the session bus cannot be reached: no such socket; log in to a session, "
            + "or run the command with dbus-run-session; launchservicesd --direct-only works "
            + "without a bus\n"))
    #expect(script.calls.count == 1)
  }

  @Test("an activation token goes to one launch only")
  func activationToken() {
    let script = ScriptedService(.success([Self.receipt]), .success([Self.receipt]))
    let environment = ["XDG_ACTIVATION_TOKEN": "wayland", "DESKTOP_STARTUP_ID": "x11"]
    _ = runOpen(["a:1", "b:1"], script, environment: environment)
    #expect(
      script.calls.map(\.arguments.last) == [
        .options(["activation-token": .string("wayland")]), .options([:]),
      ])
  }

  @Test("the token of X11 serves where there is no other")
  func startupID() {
    let script = ScriptedService(.success([Self.receipt]))
    _ = runOpen(
      ["--quick-action", "com.a", "t"], script, environment: ["DESKTOP_STARTUP_ID": "x11"])
    #expect(
      script.calls.map(\.arguments) == [
        [.string("com.a"), .string("t"), .options(["activation-token": .string("x11")])]
      ])
  }

  @Test("an open that failed has used up the activation token all the same")
  func activationTokenOfAFailure() {
    let script = ScriptedService(.failure(Self.notFound), .success([Self.receipt]))
    _ = runOpen(["x:1", "a:1"], script, environment: ["XDG_ACTIVATION_TOKEN": "wayland"])
    #expect(script.calls.map(\.arguments.last).last == .options([:]))
  }

  @Test("streams go to the daemon as open descriptors, never as paths")
  func streams() {
    let script = ScriptedService(.success([Self.receipt]))
    #expect(
      runOpen(["-i", "/dev/null", "-o", "/dev/null", "--stderr", "/dev/null", "x:1"], script)
        == Ending(.success))
    let options = script.calls.last?.arguments.last?.asOptions ?? [:]
    #expect(options.keys.sorted() == ["stderr", "stdin", "stdout"])
    #expect(options.values.allSatisfy { $0.type == "h" })
  }

  @Test("a file that cannot be opened is named, and nobody is asked")
  func badStreams() {
    let script = ScriptedService()
    #expect(
      runOpen(["-i", "no such", "x:1"], script)
        == Ending(.noSuchFile, error: "lsopen: The file /usr/no such does not exist.\n"))
    #expect(
      runOpen(["--stdout", ".", "x:1"], script)
        == Ending(.failed, error: "lsopen: The file /usr cannot be opened: Is a directory\n"))
    #expect(script.calls.isEmpty)
  }

  static let failures: [(ServiceFailure, String)] = [
    (.timedOut, "DeliveryUnknown"), (.noSessionBus("x"), "DaemonUnreachable"),
    (
      .refused(BusError("org.freedesktop.DBus.Error.InvalidArgs", "x")),
      "org.freedesktop.DBus.Error.InvalidArgs"
    ),
  ]

  @Test("--json has a line for each open, whatever it failed of", arguments: failures)
  func failureAsJSON(failure: ServiceFailure, name: String) {
    let script = ScriptedService(.failure(failure), .failure(.timedOut))
    let written = runOpen(["--json", "--timeout", "1", "x:1"], script).standardOutput
    #expect(written.hasPrefix(#"{"error":"\#(name)","message":""#))
    #expect(written.hasSuffix(#"","url":"x:1"}"# + "\n"))
  }

  @Test("--json has a line for a file that is missing, and for a quick action that failed")
  func otherFailuresAsJSON() {
    #expect(
      runOpen(["--json", "no such"], ScriptedService()).standardOutput
        == #"{"error":"NoSuchFile","message":"The file /usr/no such does not exist.","url":"no such"}"#
        + "\n")
    let script = ScriptedService(.failure(.refused(BusError("org.launchservices.Error.Odd", "x"))))
    #expect(
      runOpen(["--json", "--quick-action", "com.a", "t"], script).standardOutput
        == #"{"application":"com.a","error":"Odd","message":"x","type":"t"}"# + "\n")
  }

  @Test("a usage error is one line that leads to the help")
  func usage() {
    #expect(
      runOpen(["--bogus\n"], ScriptedService())
        == Ending(
          .usage, error: "lsopen: option '--bogus\\n' is not known; try 'lsopen --help'\n"))
  }

  @Test("--version needs no daemon")
  func printsVersion() {
    #expect(runOpen(["--version"], ScriptedService()) == Ending(.success, "lsopen \(version)\n"))
  }
}
