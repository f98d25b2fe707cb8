import BusContract
import Commands
import DBus
import Testing

@testable import lsopen

@Suite struct OpenCommandTests {
  private func run(
    _ arguments: [String], _ script: ScriptedService, environment: [String: String] = [:]
  ) -> Ending {
    let screen = Screen()
    let command = OpenCommand(
      service: script.service, output: screen.output(of: "lsopen"),
      environment: { environment[$0] }, folder: "/usr", newRequestID: { "id" },
      pause: { script.pauses.append($0) })
    let code = command.run(arguments)
    return Ending(code, screen.standardOutput, error: screen.standardError)
  }

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
    #expect(run(["x:1"], script) == Ending(.success))
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
      run(["--json", "a:1", "x:1", "b:1"], script)
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
    (receipt("delivered", handled: false), "lsopen: com.a got it and did not handle it\n"),
    (
      receipt("vetoed", handled: false),
      "lsopen: com.a was launched, and its launch methods dropped it\n"
    ),
    (receipt("unacknowledged", handled: false), ""),
  ]

  @Test("R5.9 a URL that was not handled is no failure, and lsopen says so", arguments: remarks)
  func tellsUnhandled(answer: Value, line: String) {
    #expect(run(["x:1"], ScriptedService(.success([answer]))) == Ending(.success, error: line))
  }

  @Test("R5.9 of several URLs the one that was not handled is named")
  func remarkOfSeveral() {
    let script = ScriptedService(
      .success([Self.receipt]), .success([Self.receipt("delivered", handled: false)]))
    #expect(
      run(["a:1", "b:1"], script)
        == Ending(.success, error: "lsopen: b:1: com.a got it and did not handle it\n"))
  }

  @Test("several URLs are opened in order, and the code is that of the first that failed")
  func firstFailureDecides() {
    let script = ScriptedService(.success([Self.receipt]), .failure(Self.notFound))
    #expect(
      run(["a:1", "missing", "x:1"], script)
        == Ending(
          .noSuchFile,
          error: """
            lsopen: missing: The file /usr/missing does not exist.
            lsopen: x:1: No application knows how to open x:1 (OSStatus error -10814)

            """))
    #expect(script.calls.map(\.arguments.first) == [.string("a:1"), .string("x:1")])
  }

  @Test("R7.6 a path that is missing is named as open(1) does, and nobody is asked")
  func missingFile() {
    let script = ScriptedService()
    #expect(
      run(["./no such"], script)
        == Ending(.noSuchFile, error: "lsopen: The file /usr/no such does not exist.\n"))
    #expect(script.calls.isEmpty)
  }

  @Test("R7.1 a path that exists is opened as a file URL")
  func file() {
    let script = ScriptedService(.success([Self.receipt]))
    #expect(run(["bin"], script) == Ending(.success))
    #expect(script.calls.first?.arguments.first == .string("file:///usr/bin"))
  }

  @Test("without the daemon the other URLs are not tried")
  func noDaemon() {
    let script = ScriptedService(.failure(.noSessionBus("no such socket")))
    #expect(
      run(["a:1", "b:1"], script)
        == Ending(
          .serviceUnreachable,
          error: "lsopen: the session bus cannot be reached: no such socket; log in to a session, "
            + "or run the command with dbus-run-session; launchservicesd --direct-only answers "
            + "questions without a bus\n"))
    #expect(script.calls.count == 1)
  }

  @Test("an activation token goes to one launch only")
  func activationToken() {
    let script = ScriptedService(.success([Self.receipt]), .success([Self.receipt]))
    let environment = ["XDG_ACTIVATION_TOKEN": "wayland", "DESKTOP_STARTUP_ID": "x11"]
    _ = run(["a:1", "b:1"], script, environment: environment)
    #expect(
      script.calls.map(\.arguments.last) == [
        .options(["activation-token": .string("wayland")]), .options([:]),
      ])
  }

  @Test("the token of X11 serves where there is no other")
  func startupID() {
    let script = ScriptedService(.success([Self.receipt]))
    _ = run(["--quick-action", "com.a", "t"], script, environment: ["DESKTOP_STARTUP_ID": "x11"])
    #expect(
      script.calls.map(\.arguments) == [
        [.string("com.a"), .string("t"), .options(["activation-token": .string("x11")])]
      ])
  }

  @Test("an open that was cut off is repeated under its name until a daemon answers")
  func repeats() {
    let script = ScriptedService(
      .failure(.ended), .failure(.notRunning("no such name")), .success([Self.receipt]))
    #expect(
      run(["x:1"], script)
        == Ending(
          .success,
          error:
            "lsopen: launchservicesd ended before it answered; waiting for the next one, at most 30 s, to ask"
            + " what became of it\n"
        ))
    #expect(script.requestIDs == ["id", "id", "id"])
    #expect(script.pauses == [50, 100])
  }

  @Test("an open that was cut off is given up after half a minute")
  func givesUp() {
    let script = ScriptedService(.failure(.ended))
    let ending = run(["--request-id", "mine", "x:1"], script)
    // Not "cannot be reached": a script would take that for "nothing has happened".
    #expect(ending.code == .failed)
    #expect(
      ending.standardError.contains("it is not known whether the application was given this"),
      "\(ending.standardError)")
    #expect(ending.standardError.contains("--request-id mine"))
    #expect(script.requestIDs == [String](repeating: "mine", count: 11))
    #expect(script.pauses.reduce(0, +) == 30_050)
  }

  @Test("where there is no daemon nothing is repeated") func nothingToRepeat() {
    let script = ScriptedService(.failure(.notRunning("no such name")))
    #expect(run(["x:1"], script).code == .serviceUnreachable)
    #expect(script.pauses == [])
  }

  @Test("an open that failed has used up the activation token all the same")
  func activationTokenOfAFailure() {
    let script = ScriptedService(.failure(Self.notFound), .success([Self.receipt]))
    _ = run(["x:1", "a:1"], script, environment: ["XDG_ACTIVATION_TOKEN": "wayland"])
    #expect(script.calls.map(\.arguments.last).last == .options([:]))
  }

  @Test("R7.2 -W waits once for each process, without limit, and one that has ended is no failure")
  func waits() {
    let ended = ServiceFailure.refused(
      BusError("org.launchservices.Error.NotRunning", "no application runs in process 42"))
    let script = ScriptedService(
      .success([Self.receipt]), .success([Self.receipt]), .failure(ended))
    #expect(run(["-W", "x:1", "x:2"], script) == Ending(.success))
    #expect(
      script.calls.last
        == .init(
          member: "WaitForExit", arguments: [.uint32(42), .options([:])], milliseconds: nil))
  }

  @Test("R7.2 --timeout bounds what -W waits, and what still runs then is named")
  func waitIsBounded() {
    let other = Self.receipt.asOptions?.merging(
      ["pid": .uint32(43), "handler": .string("com.b")]) { $1 }
    let script = ScriptedService(
      .success([Self.receipt]), .success([.options(other ?? [:])]), .failure(.timedOut),
      .failure(.timedOut))
    #expect(
      run(["-W", "--timeout", "0.5", "a:1", "b:1"], script)
        == Ending(
          .failed,
          error: "lsopen: the time given with --timeout is over, and com.a (process 42) and com.b "
            + "(process 43) still run\n"))
    #expect(script.calls.suffix(2).allSatisfy { (1...500).contains($0.milliseconds ?? 0) })
  }

  @Test("R7.2 the status of -W is that of the first that failed, also when the time is over")
  func waitAfterFailure() {
    let script = ScriptedService(.success([Self.receipt]), .failure(.timedOut))
    #expect(
      run(["-W", "--timeout", "0.5", "missing", "a:1"], script)
        == Ending(
          .noSuchFile,
          error: """
            lsopen: missing: The file /usr/missing does not exist.
            lsopen: the time given with --timeout is over, and com.a (process 42) still runs

            """))
  }

  @Test("when the daemon ends while -W waits, lsopen does not claim that the application has ended")
  func daemonEndsWhileWaiting() {
    let script = ScriptedService(.success([Self.receipt]), .failure(.ended))
    #expect(
      run(["-W", "x:1"], script)
        == Ending(
          .failed,
          error: "lsopen: launchservicesd ended before it answered, so it is not known what it has "
            + "done; its log may say why\n"))
  }

  @Test("streams go to the daemon as open descriptors, never as paths")
  func streams() {
    let script = ScriptedService(.success([Self.receipt]))
    #expect(
      run(["-i", "/dev/null", "-o", "/dev/null", "--stderr", "/dev/null", "x:1"], script)
        == Ending(.success))
    let options = script.calls.last?.arguments.last?.asOptions ?? [:]
    #expect(options.keys.sorted() == ["stderr", "stdin", "stdout"])
    #expect(options.values.allSatisfy { $0.type == "h" })
  }

  @Test("a file that cannot be opened is named, and nobody is asked")
  func badStreams() {
    let script = ScriptedService()
    #expect(
      run(["-i", "no such", "x:1"], script)
        == Ending(.noSuchFile, error: "lsopen: The file /usr/no such does not exist.\n"))
    #expect(
      run(["--stdout", ".", "x:1"], script)
        == Ending(.failed, error: "lsopen: The file /usr cannot be opened: Is a directory\n"))
    #expect(script.calls.isEmpty)
  }

  @Test("after --timeout the open is cancelled under the name it was given")
  func cancels() {
    let script = ScriptedService(.failure(.timedOut), .success([.boolean(false)]))
    #expect(
      run(["--timeout", "0.5", "x:1"], script)
        == Ending(
          .failed, error: "lsopen: cancelled, because the time given with --timeout is over\n"))
    #expect(
      script.calls == [
        .init(
          member: "OpenURL",
          arguments: [.string("x:1"), .options(["cancellation-id": .string("lsopen")])],
          milliseconds: 500),
        .init(member: "CancelOpen", arguments: [.string("lsopen")], milliseconds: 2000),
      ])
  }

  @Test("what was cancelled too late is said so") func cancelsTooLate() {
    let script = ScriptedService(.failure(.timedOut), .success([.boolean(true)]))
    #expect(
      run(["--timeout", "0.5", "x:1"], script)
        == Ending(
          .failed,
          error:
            "lsopen: cancelled, because the time given with --timeout is over; the application "
            + "had been given it already\n"))
  }

  static let uncancelled: [(ServiceFailure, String)] = [
    (.refused(.invalidArguments("no such open")), "its fate was decided at that moment"),
    (.timedOut, "cancelling failed: launchservicesd did not answer in time"),
  ]

  @Test("when cancelling fails the command does not claim to know", arguments: uncancelled)
  func cannotCancel(failure: ServiceFailure, reason: String) {
    let script = ScriptedService(.failure(.timedOut), .failure(failure))
    #expect(
      run(["--timeout", "0.5", "x:1"], script)
        == Ending(
          .failed,
          error: "lsopen: the time given with --timeout is over, and what became of it is not "
            + "known: \(reason)\n"))
  }

  @Test("--can-open says yes with status 0 and no with status 1")
  func canOpen() {
    #expect(
      run(["--can-open", "x:1"], ScriptedService(.success([.boolean(true)])))
        == Ending(.success, "yes\n"))
  }

  /// What Explain answers when it ends with these steps.
  private static func steps(_ steps: KeyValuePairs<String, String>) -> Value {
    .options([
      "steps": .array(of: "(ss)", steps.map { .structure([.string($0), .string($1)]) })
    ])
  }
  private static let notDeclared = steps([
    "url": "the scheme is x", "canOpen": "no: the caller may not ask; com.a does not list it",
  ])

  @Test("--can-open explains a no on standard error, under the same caller")
  func explainsNo() {
    let script = ScriptedService(.success([.boolean(false)]), .success([Self.notDeclared]))
    #expect(
      run(["--can-open", "--as", "com.a", "x:1"], script)
        == Ending(
          .no, "no\n", error: "lsopen: the caller may not ask; com.a does not list it\n"))
    #expect(
      script.calls.last
        == .init(
          member: "Explain", arguments: [.string("x:1"), .options(["as": .string("com.a")])],
          milliseconds: 25_000))
  }

  @Test("--can-open --json holds the reason of a no")
  func explainsNoAsJSON() {
    let script = ScriptedService(.success([.boolean(false)]), .success([Self.notDeclared]))
    #expect(
      run(["--can-open", "--json", "x:1"], script)
        == Ending(
          .no,
          #"{"can-open":false,"reason":"the caller may not ask; com.a does not list it","url":"x:1"}"#
            + "\n", error: "lsopen: the caller may not ask; com.a does not list it\n"))
  }

  static let otherReasons: [(Result<[Value], ServiceFailure>, String)] = [
    (
      .success([steps(["url": "the URL is empty", "open": "fails: the URL is empty"])]),
      "lsopen: the URL is empty\n"
    ),
    (
      .failure(.refused(BusError("org.launchservices.Error.NotPermitted", "com.a is too old"))),
      "lsopen: com.a is too old\n"
    ),
    (.success([steps(["canOpen": "yes: it was installed this moment"])]), ""),
  ]

  @Test("--can-open gives the reason there is", arguments: otherReasons)
  func otherReason(explanation: Result<[Value], ServiceFailure>, reason: String) {
    let script = ScriptedService(.success([.boolean(false)]), explanation)
    #expect(run(["--can-open", "x:1"], script) == Ending(.no, "no\n", error: reason))
  }

  @Test("--can-open passes who asks and gives up after 25 seconds or the timeout")
  func canOpenOptions() {
    let script = ScriptedService(.success([.boolean(true)]), .failure(.timedOut))
    _ = run(["--can-open", "--as", "com.a", "-b", "com.b", "x:1"], script)
    let late = run(["--can-open", "--timeout", "2", "x:1"], script)
    #expect(
      script.calls == [
        .init(
          member: "CanOpenURL",
          arguments: [
            .string("x:1"),
            .options(["as": .string("com.a"), "application": .string("com.b")]),
          ], milliseconds: 25_000),
        .init(
          member: "CanOpenURL", arguments: [.string("x:1"), .options([:])], milliseconds: 2000),
      ])
    #expect(late == Ending(.failed, error: "lsopen: launchservicesd did not answer in time\n"))
  }

  private static let explanation = Value.options([
    "can-open": .boolean(true), "handler": .string("com.a"),
    "steps": .array(
      of: "(ss)",
      [
        .structure([.string("parse"), .string("the scheme is x")]),
        .structure([.string("candidates"), .string("com.a\u{1b}[31m")]),
      ]),
  ])

  @Test("--explain prints the steps below each other, harmless to a terminal")
  func explains() {
    #expect(
      run(["--explain", "x:1"], ScriptedService(.success([Self.explanation])))
        == Ending(
          .success,
          """
          parse       the scheme is x
          candidates  com.a\\u{1b}[31m

          """))
  }

  @Test("--explain --json prints all that was answered")
  func explainsAsJSON() {
    #expect(
      run(["--explain", "--json", "x:1"], ScriptedService(.success([Self.explanation])))
        == Ending(
          .success,
          #"{"can-open":true,"handler":"com.a","steps":[{"name":"parse","sentence":"the scheme is x"},"#
            + #"{"name":"candidates","sentence":"com.a\u001b[31m"}]}"# + "\n"))
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
    let written = run(["--json", "--timeout", "1", "x:1"], script).standardOutput
    #expect(written.hasPrefix(#"{"error":"\#(name)","message":""#))
    #expect(written.hasSuffix(#"","url":"x:1"}"# + "\n"))
  }

  @Test("--json has a line for a file that is missing, and for a quick action that failed")
  func otherFailuresAsJSON() {
    #expect(
      run(["--json", "no such"], ScriptedService()).standardOutput
        == #"{"error":"NoSuchFile","message":"The file /usr/no such does not exist.","url":"no such"}"#
        + "\n")
    let script = ScriptedService(.failure(.refused(BusError("org.launchservices.Error.Odd", "x"))))
    #expect(
      run(["--json", "--quick-action", "com.a", "t"], script).standardOutput
        == #"{"application":"com.a","error":"Odd","message":"x","type":"t"}"# + "\n")
  }

  @Test("a usage error is one line that leads to the help")
  func usage() {
    #expect(
      run(["--bogus\n"], ScriptedService())
        == Ending(
          .usage, error: "lsopen: option '--bogus\\n' is not known; try 'lsopen --help'\n"))
  }

  @Test("--version needs no daemon")
  func version() {
    #expect(run(["--version"], ScriptedService()) == Ending(.success, "lsopen 0.1.0\n"))
  }
}
