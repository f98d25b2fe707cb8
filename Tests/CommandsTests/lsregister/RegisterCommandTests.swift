import Commands
import DBus
import LaunchRules
import Testing

@testable import lsregister

@Suite struct RegisterCommandTests {
  private static let photos: Options = [
    "bundle-identifier": .string("com.example.photos"), "name": .string("My Photos"),
    "version": .string("1.2.0"), "state": .string("active"), "pid": .uint32(42),
    "path": .string("/a/Photos.app/Info.plist"), "system": .boolean(false),
    "schemes": .strings(["photos", "pics"]), "queries-schemes": .strings([]),
    "executable": .string(""),
    "shortcut-items": .array(of: "(ss)", [.structure([.string("new"), .string("New Album")])]),
    "later": .byte(1),
  ]
  private static let bare: Options = ["bundle-identifier": .string("a.b")]

  private static func applications() -> ScriptedService {
    ScriptedService(.success([.optionsList([photos, bare])]), .success([.optionsList([])]))
  }

  @Test("list prints columns, by identifier, with '-' for what is not there")
  func list() {
    #expect(
      runRegister(["list"], Self.applications())
        == Ending(
          .success,
          """
          a.b                 -      -       -            -
          com.example.photos  1.2.0  active  photos,pics  My Photos

          """))
  }

  @Test("list of nothing prints nothing")
  func emptyList() {
    #expect(
      runRegister(["list"], ScriptedService(.success([.optionsList([])]))) == Ending(.success))
    #expect(
      runRegister(["list", "--json"], ScriptedService(.success([.optionsList([])])))
        == Ending(.success, "[]\n"))
  }

  @Test("list --json prints all that was answered")
  func listAsJSON() {
    #expect(
      runRegister(
        ["list", "--json"],
        ScriptedService(.success([.optionsList([Self.bare])]), .success([.optionsList([])])))
        == Ending(.success, #"[{"bundle-identifier":"a.b"}]"# + "\n"))
  }

  @Test("R1.9 show prints one fact on each line, found without regard to case")
  func show() {
    #expect(
      runRegister(["show", "COM.example.Photos"], Self.applications())
        == Ending(
          .success,
          """
          bundle-identifier  com.example.photos
          name               My Photos
          version            1.2.0
          state              active
          pid                42
          path               /a/Photos.app/Info.plist
          system             no
          schemes            photos
          schemes            pics
          shortcut-items     new  New Album
          later              1

          """))
  }

  @Test("show of an application that is not there is status 4")
  func showUnknown() {
    #expect(
      runRegister(["show", "com.b"], ScriptedService(.success([.optionsList([])])))
        == Ending(
          .failed,
          error:
            "lsregister: no application com.b is registered; 'lsregister list' shows the identifiers of applications\n"
        ))
  }

  @Test("no line of a help text is wider than a terminal", arguments: [nil] + Verb.allCases)
  func helpWidth(verb: Verb?) {
    let ending = runRegister((verb.map { [$0.rawValue] } ?? []) + ["--help"], ScriptedService())
    #expect(ending.standardOutput.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("handlers come best first, each with its reason")
  func handlers() {
    let answer: [Value] = [.strings(["com.bb", "com.a"]), .strings(["the user's choice"])]
    #expect(
      runRegister(["handlers", "X"], ScriptedService(.success(answer)))
        == Ending(.success, "com.bb  the user's choice\ncom.a   -\n"))
    let script = ScriptedService(.success(answer))
    #expect(
      runRegister(["handlers", "X", "--json"], script)
        == Ending(
          .success,
          #"[{"bundle-identifier":"com.bb","reason":"the user's choice"},"#
            + #"{"bundle-identifier":"com.a","reason":"-"}]"# + "\n"))
    #expect(
      script.calls == [.init(member: "Handlers", arguments: [.string("x")], milliseconds: 25_000)])
  }

  @Test("a scheme that nobody handles is status 4", arguments: ["handlers", "default"])
  func nobody(verb: String) {
    let answer: Value = verb == "handlers" ? .strings([]) : .string("")
    #expect(
      runRegister([verb, "x"], ScriptedService(.success([answer])))
        == Ending(.failed, error: "lsregister: no application handles the scheme 'x'\n"))
  }

  @Test("default prints, sets and takes back the choice")
  func defaultHandler() {
    let script = ScriptedService(.success([.string("com.a")]), .success([]), .success([]))
    #expect(runRegister(["default", "x"], script) == Ending(.success, "com.a\n"))
    #expect(runRegister(["default", "x", "com.b"], script) == Ending(.success))
    #expect(
      runRegister(["default", "x", "--unset", "--json"], script)
        == Ending(.success, #"{"bundle-identifier":"","scheme":"x"}"# + "\n"))
    #expect(
      script.calls.map(\.arguments) == [
        [.string("x")], [.string("x"), .string("com.b")], [.string("x"), .string("")],
      ])
  }

  @Test("add makes paths absolute, passes the variables, and goes on after one that is missing")
  func add() {
    let script = ScriptedService(.success([.string("com.a")]))
    #expect(
      runRegister(["add", "missing.app", "bin", "--define", "A=1"], script)
        == Ending(
          .noSuchFile, "com.a\n", error: "lsregister: The file /usr/missing.app does not exist.\n"))
    #expect(
      script.calls == [
        .init(
          member: "RegisterApplication",
          arguments: [.string("/usr/bin"), .options(["define": .stringDictionary(["A": "1"])])],
          milliseconds: 25_000),
        .init(
          member: "FindApplications",
          arguments: [.options(["bundle-identifier": .string("com.a")])], milliseconds: 25_000),
      ])
  }

  @Test("add says that others have the identifier, and fails when one of them is used instead")
  func addCopy() {
    func copies(_ paths: String...) -> Result<[Value], ServiceFailure> {
      .success([.optionsList(paths.map { ["path": .string($0)] })])
    }
    let reason = "lsregister: 2 bundles have the identifier com.a: "
    let advice = "; remove all but one of them, or change their identifiers\n"
    let mine = "/usr/bin/Info.plist"
    for (answer, ending) in [
      (copies(mine), Ending(.success, "com.a\n")),
      (
        copies(mine, "/B.app/Info.plist"),
        Ending(
          .success, "com.a\n",
          error: reason + "\(mine) is used, and not /B.app/Info.plist" + advice)
      ),
      (
        copies("/B.app/Info.plist", mine),
        Ending(
          .failed, "com.a\n",
          error: reason + "/B.app/Info.plist is used, and not \(mine)" + advice)
      ),
    ] {
      #expect(
        runRegister(["add", "bin"], ScriptedService(.success([.string("com.a")]), answer)) == ending
      )
    }
  }

  @Test("remove tries each, and the code is that of the first that failed")
  func remove() {
    let refusal = BusError("org.launchservices.Error.NotRegistered", "com.a is not registered")
    let script = ScriptedService(.failure(.refused(refusal)), .success([]))
    #expect(
      runRegister(["remove", "com.a", "com.b", "--json"], script)
        == Ending(
          .failed, #"{"bundle-identifier":"com.b"}"# + "\n",
          error: "lsregister: com.a is not registered; 'lsregister list' shows the identifiers of"
            + " applications\n"))
  }

  @Test("remove names the processes that run on")
  func removeRunning() {
    let script = ScriptedService(
      .success([]),
      .success([
        .optionsList([
          ["bundle-identifier": .string("com.b"), "pid": .uint32(41)],
          ["bundle-identifier": .string("com.A"), "pid": .uint32(42)],
        ])
      ]))
    #expect(
      runRegister(["remove", "com.a"], script)
        == Ending(.success, error: "lsregister: com.A still runs, as process 42\n"))
  }

  @Test("reload prints nothing")
  func reload() {
    let script = ScriptedService(.success([]), .failure(.notRunning("no such service")))
    #expect(runRegister(["reload"], script) == Ending(.success))
    #expect(
      runRegister(["reload"], script)
        == Ending(
          .serviceUnreachable,
          error: "lsregister: launchservicesd does not run and the bus cannot start it: "
            + "no such service; start launchservicesd, or install it with systemd/install; where systemd"
            + " starts it, systemctl --user status launchservicesd says why it does not run\n"))
  }

  @Test("an answer of another shape is read as nothing")
  func oddAnswer() {
    #expect(runRegister(["list"], ScriptedService(.success([]))) == Ending(.success))
    #expect(runRegister(["list"], ScriptedService(.success([.byte(1)]))) == Ending(.success))
  }
}
