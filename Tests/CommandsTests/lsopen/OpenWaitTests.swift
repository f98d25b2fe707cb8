import BusContract
import Commands
import DBus
import Testing

@testable import lsopen

/// A daemon that ends, `--wait-apps` and `--timeout`.
@Suite struct OpenWaitTests {
  private static let receipt = Value.options([
    "request": .uint64(7), "handler": .string("com.a"), "launch": .string("cold"),
    "delivery": .string("delivered"), "handled": .boolean(true), "pid": .uint32(42),
    "trail": .array(of: "(st)", [.structure([.string("accepted"), .uint64(1)])]),
  ])

  @Test("an open that was cut off is repeated under its name until a daemon answers")
  func repeats() {
    let script = ScriptedService(
      .failure(.ended), .failure(.notRunning("no such name")), .success([Self.receipt]))
    #expect(
      runOpen(["x:1"], script)
        == Ending(
          .success,
          error:
            "lsopen: launchservicesd ended before it answered; waiting at most 30 s for the next"
            + " launchservicesd, to ask for the result\n"
        ))
    #expect(script.requestIDs == ["id", "id", "id"])
    #expect(script.pauses == [50, 100])
  }

  @Test("an open whose connection the bus closed is repeated, also while there is no bus")
  func repeatsOnAnotherConnection() {
    let script = ScriptedService(
      .failure(.cutOff("x")), .failure(.noSessionBus("no such socket")), .success([Self.receipt]))
    #expect(
      runOpen(["x:1"], script)
        == Ending(
          .success,
          error:
            "lsopen: the session bus closed the connection before launchservicesd answered; waiting at most 30 s"
            + " for the next launchservicesd, to ask for the result\n"
        ))
    #expect(script.requestIDs == ["id", "id", "id"])
    #expect(script.pauses == [50, 100])
  }

  @Test("a limit that a repetition meets says nothing about the open: the repetition is repeated")
  func repeatsOverLimit() {
    let limit = BusError("org.launchservices.Error.LimitExceeded", "16 connections")
    let script = ScriptedService(
      .failure(.ended), .failure(.refused(limit)), .success([Self.receipt]))
    #expect(runOpen(["x:1"], script).code == .success)
    #expect(script.requestIDs == ["id", "id", "id"])
  }

  @Test("an open that was cut off is given up after half a minute")
  func givesUp() {
    let script = ScriptedService(.failure(.ended))
    let ending = runOpen(["--request-id", "mine", "x:1"], script)
    // Not "cannot be reached": a script would take that for "nothing has happened".
    #expect(ending.code == .failed)
    #expect(
      ending.standardError.contains("it is unknown whether the application received the request"),
      "\(ending.standardError)")
    #expect(ending.standardError.contains("--request-id mine"))
    #expect(script.requestIDs == [String](repeating: "mine", count: 11))
    #expect(script.pauses.reduce(0, +) == 30_050)
  }

  @Test("where there is no daemon nothing is repeated") func nothingToRepeat() {
    let script = ScriptedService(.failure(.notRunning("no such name")))
    #expect(runOpen(["x:1"], script).code == .serviceUnreachable)
    #expect(script.pauses == [])
  }

  @Test("R7.2 -W waits once for each process, without limit, and one that has ended is no failure")
  func waits() {
    let ended = ServiceFailure.refused(
      BusError("org.launchservices.Error.NotRunning", "no application runs in process 42"))
    let script = ScriptedService(
      .success([Self.receipt]), .success([Self.receipt]), .failure(ended))
    #expect(runOpen(["-W", "x:1", "x:2"], script) == Ending(.success))
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
      runOpen(["-W", "--timeout", "0.5", "a:1", "b:1"], script)
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
      runOpen(["-W", "--timeout", "0.5", "missing", "a:1"], script)
        == Ending(
          .noSuchFile,
          error: """
            lsopen: missing: The file /usr/missing does not exist. To open a URL, write a colon after its scheme: missing:
            lsopen: the time given with --timeout is over, and com.a (process 42) still runs

            """))
  }

  @Test("when the daemon ends while -W waits, lsopen does not claim that the application has ended")
  func daemonEndsWhileWaiting() {
    let script = ScriptedService(.success([Self.receipt]), .failure(.ended))
    #expect(
      runOpen(["-W", "x:1"], script)
        == Ending(
          .failed,
          error: "lsopen: launchservicesd ended before it answered, so it is not known what it has "
            + "done; its log may say why\n"))
  }

  @Test("after --timeout the open is cancelled under the name it was given")
  func cancels() {
    let script = ScriptedService(.failure(.timedOut), .success([.boolean(false)]))
    #expect(
      runOpen(["--timeout", "0.5", "x:1"], script)
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

  @Test(
    "an application that fails to launch: the message says where its output is",
    arguments: [
      (
        "com.a ended while launching: exited with code 1",
        "; the output of the application is in the log of launchservicesd"
      ),
      ("com.a ended while launching: exited with code 1 (unit a.service; its log: journalctl)", ""),
    ])
  func output(text: String, addition: String) {
    let error = BusError("org.launchservices.Error.HandlerExited", text)
    #expect(
      runOpen(["x:1"], ScriptedService(.failure(.refused(error))))
        == Ending(.failed, error: "lsopen: \(text)\(addition)\n"))
  }

  @Test("what was cancelled too late is said so") func cancelsTooLate() {
    let script = ScriptedService(.failure(.timedOut), .success([.boolean(true)]))
    #expect(
      runOpen(["--timeout", "0.5", "x:1"], script)
        == Ending(
          .failed,
          error:
            "lsopen: cancelled, because the time given with --timeout is over; the application had"
            + " already received the request\n"))
  }

  static let uncancelled: [(ServiceFailure, String)] = [
    (.refused(.invalidArguments("no such open")), "the open completed at the same moment"),
    (.timedOut, "cancelling failed: launchservicesd did not answer in time"),
  ]

  @Test("when cancelling fails the command does not claim to know", arguments: uncancelled)
  func cannotCancel(failure: ServiceFailure, reason: String) {
    let script = ScriptedService(.failure(.timedOut), .failure(failure))
    #expect(
      runOpen(["--timeout", "0.5", "x:1"], script)
        == Ending(
          .failed,
          error: "lsopen: the time given with --timeout is over, and the result of the open is"
            + " unknown: \(reason)\n"))
  }
}
