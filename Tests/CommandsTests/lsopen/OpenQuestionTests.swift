import BusContract
import Commands
import DBus
import Testing

@testable import lsopen

/// `--can-open` and `--explain`.
@Suite struct OpenQuestionTests {
  @Test("--can-open says yes with status 0 and no with status 1")
  func canOpen() {
    #expect(
      runOpen(["--can-open", "x:1"], ScriptedService(.success([.boolean(true)])))
        == Ending(.success, "yes\n"))
  }

  @Test(
    "a question that is not answered in time says that the daemon is stopped, and how it goes on")
  func stopped() {
    for option in ["--can-open", "--explain"] {
      let screen = Screen()
      var service = ScriptedService(.failure(.timedOut)).service
      service.stoppedDaemon = { 7 }
      let command = OpenCommand(
        service: service, output: screen.output(of: "lsopen"), environment: { _ in nil },
        folder: "/usr")
      #expect(command.run(["--timeout", "2", option, "x:1"]) == .failed)
      #expect(
        screen.standardError
          == "lsopen: launchservicesd (process 7) is stopped and did not answer in time; to resume it:"
          + " kill -CONT 7\n")
    }
  }

  /// What Explain answers when it ends with these steps.
  private static func steps(_ steps: KeyValuePairs<String, String>) -> Value {
    .options([
      "steps": .array(of: "(ss)", steps.map { .structure([.string($0), .string($1)]) }),
      "can-open-code": .string("not-listed"),
    ])
  }
  private static let notDeclared = steps([
    "url": "the scheme is x", "canOpen": "no: the caller may not ask; com.a does not list it",
  ])

  @Test("--can-open explains a no on standard error, under the same caller")
  func explainsNo() {
    let script = ScriptedService(.success([.boolean(false)]), .success([Self.notDeclared]))
    #expect(
      runOpen(["--can-open", "--as", "com.a", "x:1"], script)
        == Ending(
          .no, "no\n", error: "lsopen: the caller may not ask; com.a does not list it\n"))
    #expect(
      script.calls.last
        == .init(
          member: "Explain", arguments: [.string("x:1"), .options(["as": .string("com.a")])],
          milliseconds: 25_000))
  }

  @Test("--can-open --json holds the reason of a no, as a sentence and as a word")
  func explainsNoAsJSON() {
    let script = ScriptedService(.success([.boolean(false)]), .success([Self.notDeclared]))
    #expect(
      runOpen(["--can-open", "--json", "x:1"], script)
        == Ending(
          .no,
          #"{"can-open":false,"code":"not-listed","reason":"the caller may not ask; com.a does not list it","url":"x:1"}"#
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
    #expect(runOpen(["--can-open", "x:1"], script) == Ending(.no, "no\n", error: reason))
  }

  @Test("--can-open passes who asks and gives up after 25 seconds or the timeout")
  func canOpenOptions() {
    let script = ScriptedService(.success([.boolean(true)]), .failure(.timedOut))
    _ = runOpen(["--can-open", "--as", "com.a", "-b", "com.b", "x:1"], script)
    let late = runOpen(["--can-open", "--timeout", "2", "x:1"], script)
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
      runOpen(["--explain", "x:1"], ScriptedService(.success([Self.explanation])))
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
      runOpen(["--explain", "--json", "x:1"], ScriptedService(.success([Self.explanation])))
        == Ending(
          .success,
          #"{"can-open":true,"handler":"com.a","steps":[{"name":"parse","sentence":"the scheme is x"},"#
            + #"{"name":"candidates","sentence":"com.a\u001b[31m"}]}"# + "\n"))
  }
}
