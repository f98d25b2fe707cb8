import Commands
import DBus
import LaunchRules
import Testing

@testable import lsregister

@Suite struct RegisterCommandTests {
  private func run(
    _ arguments: [String], _ script: ScriptedService, _ languages: PreferredLanguages = .none
  ) -> Ending {
    let screen = Screen()
    let command = RegisterCommand(
      service: script.service, output: screen.output(of: "lsregister"), folder: "/usr",
      languages: languages)
    let code = command.run(arguments)
    return Ending(code, screen.standardOutput, error: screen.standardError)
  }

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
      run(["list"], Self.applications())
        == Ending(
          .success,
          """
          a.b                 -      -       -            -
          com.example.photos  1.2.0  active  photos,pics  My Photos

          """))
  }

  @Test("list of nothing prints nothing")
  func emptyList() {
    #expect(run(["list"], ScriptedService(.success([.optionsList([])]))) == Ending(.success))
    #expect(
      run(["list", "--json"], ScriptedService(.success([.optionsList([])])))
        == Ending(.success, "[]\n"))
  }

  @Test("list --json prints all that was answered")
  func listAsJSON() {
    #expect(
      run(
        ["list", "--json"],
        ScriptedService(.success([.optionsList([Self.bare])]), .success([.optionsList([])])))
        == Ending(.success, #"[{"bundle-identifier":"a.b"}]"# + "\n"))
  }

  @Test("R1.9 show prints one fact on each line, found without regard to case")
  func show() {
    #expect(
      run(["show", "COM.example.Photos"], Self.applications())
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
      run(["show", "com.b"], ScriptedService(.success([.optionsList([])])))
        == Ending(.failed, error: "lsregister: no application 'com.b' is registered\n"))
  }

  @Test("dump groups the facts of each application, and its claims under them")
  func dump() {
    let claims: [Options] = [
      [
        "name": .string("Photo link"), "role": .string("Editor"), "rank": .string("Owner"),
        "schemes": .strings(["photos", "pics"]),
      ],
      ["role": .string("Viewer"), "rank": .string("Default"), "schemes": .strings(["web"])],
    ]
    let application: Options = [
      "bundle-identifier": .string("b.c"), "name": .string("B\nC"),
      "schemes": .strings(["photos", "pics", "web"]), "url-types": .optionsList(claims),
      "queries-schemes": .strings(["x", "y"]), "diagnostics": .strings(["odd", "odder"]),
      "associated-domains": .strings(["a.example", "*.b.example"]),
      "document-types": .optionsList([
        [
          "name": .string("Note"), "role": .string("Editor"), "rank": .string("Owner"),
          "content-types": .strings(["b.c.note", "public.text"]),
        ],
        [
          "role": .string("Viewer"), "rank": .string("Default"), "extensions": .strings(["n"]),
          "mime-types": .strings(["text/n"]), "package": .boolean(true),
        ],
      ]),
      "exported-types": .optionsList([
        [
          "type": .string("b.c.note"), "description": .string("A note"),
          "conforms-to": .strings(["public.text"]), "extensions": .strings(["note"]),
        ]
      ]),
    ]
    let line = String(repeating: "-", count: 80)
    #expect(
      run(
        ["dump"],
        ScriptedService(
          .success([.optionsList([application, Self.bare])]), .success([.optionsList([])])))
        == Ending(
          .success,
          """
          \(line)
          bundle-identifier:  a.b
          \(line)
          bundle-identifier:   b.c
          name:                B\\nC
          queries-schemes:     x, y
          diagnostics:         odd
          diagnostics:         odder
          associated-domains:  a.example, *.b.example

              claim:           Photo link
              role:            Editor
              rank:            Owner
              schemes:         photos:, pics:

              claim:           -
              role:            Viewer
              rank:            Default
              schemes:         web:

              document:        Note
              role:            Editor
              rank:            Owner
              content-types:   b.c.note, public.text

              document:        -
              role:            Viewer
              rank:            Default
              extensions:      n
              mime-types:      text/n
              package:         yes

              exports:         b.c.note
              description:     A note
              conforms-to:     public.text
              extensions:      note

          """))
  }

  @Test("dump --dot draws who may handle what, who does in bold, and escapes every name")
  func dumpGraph() {
    let hostile: Options = [
      "bundle-identifier": .string("b.c"), "name": .string(#"a"];\N"# + "\n"),
      "schemes": .strings(["photos"]),
      "document-types": .optionsList([
        [
          "role": .string("Viewer"), "rank": .string("Owner"),
          "content-types": .strings(["public.Text"]), "extensions": .strings(["ignored"]),
        ]
      ]),
    ]
    let photos: Options = [
      "bundle-identifier": .string("a.b"), "schemes": .strings(["photos"]),
      "document-types": .optionsList([
        [
          "role": .string("Editor"), "rank": .string("Default"),
          "content-types": .strings(["public.text"]),
        ],
        [
          "role": .string("Editor"), "rank": .string("Default"), "extensions": .strings(["ph"]),
        ],
        ["role": .string("None"), "rank": .string("Default"), "extensions": .strings(["no"])],
      ]),
    ]
    let script = ScriptedService(
      .success([.optionsList([hostile, photos, ["bundle-identifier": .string("types")]])]),
      .success([.optionsList([])]),
      .success([.string("a.b")]), .success([.strings(["b.c", "a.b"]), .strings(["", ""])]),
      .success([.strings(["a.b"]), .strings([""])]),
      .success([
        .optionsList(
          [("a.b", "unspecified"), ("b.c", "denied")].map { identifier, user in
            [
              "bundle-identifier": .string(identifier), "entry": .string("*.a.example"),
              "counts": .boolean(true), "site": .string("approved"), "user": .string(user),
            ]
          })
      ]))
    #expect(
      run(["dump", "--dot"], script)
        == Ending(
          .success,
          #"""
          digraph "Launch Services" {
            rankdir=LR;
            node [fontname="sans-serif"];
            "scheme photos" [label="photos:", shape=ellipse];
            "type public.text" [label="public.text", shape=note];
            "type the extension ph" [label=".ph", shape=note];
            "domain *.a.example" [label="applinks:*.a.example", shape=hexagon];
            "application a.b" [label="a.b", shape=box];
            "application b.c" [label="a\"];\\N\\n\nb.c", shape=box];
            "scheme photos" -> "application a.b" [style=bold];
            "type public.text" -> "application a.b";
            "type the extension ph" -> "application a.b" [style=bold];
            "domain *.a.example" -> "application a.b" [style=bold];
            "scheme photos" -> "application b.c";
            "type public.text" -> "application b.c" [style=bold];
            "domain *.a.example" -> "application b.c";
          }

          """#))
  }

  @Test("a scheme that nobody gets for sure has no bold edge")
  func ambiguousGraph() {
    let ambiguous = BusError("org.launchservices.Error.AmbiguousHandler", "two")
    let script = ScriptedService(
      .success([.optionsList([["bundle-identifier": .string("a.b"), "schemes": .strings(["x"])]])]),
      .success([.optionsList([])]),
      .failure(.refused(ambiguous)), .success([.optionsList([])]))
    let ending = run(["dump", "--dot"], script)
    #expect(ending.code == .success)
    #expect(ending.standardOutput.contains(#""scheme x" -> "application a.b";"#))
  }

  @Test("no line of a help text is wider than a terminal", arguments: [nil] + Verb.allCases)
  func helpWidth(verb: Verb?) {
    let ending = run((verb.map { [$0.rawValue] } ?? []) + ["--help"], ScriptedService())
    #expect(ending.standardOutput.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("handlers come best first, each with its reason")
  func handlers() {
    let answer: [Value] = [.strings(["com.bb", "com.a"]), .strings(["the user's choice"])]
    #expect(
      run(["handlers", "X"], ScriptedService(.success(answer)))
        == Ending(.success, "com.bb  the user's choice\ncom.a   -\n"))
    let script = ScriptedService(.success(answer))
    #expect(
      run(["handlers", "X", "--json"], script)
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
      run([verb, "x"], ScriptedService(.success([answer])))
        == Ending(.failed, error: "lsregister: no application handles the scheme 'x'\n"))
  }

  @Test("default prints, sets and takes back the choice")
  func defaultHandler() {
    let script = ScriptedService(.success([.string("com.a")]), .success([]), .success([]))
    #expect(run(["default", "x"], script) == Ending(.success, "com.a\n"))
    #expect(run(["default", "x", "com.b"], script) == Ending(.success))
    #expect(
      run(["default", "x", "--unset", "--json"], script)
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
      run(["add", "missing.app", "bin", "--define", "A=1"], script)
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
      #expect(run(["add", "bin"], ScriptedService(.success([.string("com.a")]), answer)) == ending)
    }
  }

  @Test("remove tries each, and the code is that of the first that failed")
  func remove() {
    let refusal = BusError("org.launchservices.Error.NotRegistered", "com.a is not registered")
    let script = ScriptedService(.failure(.refused(refusal)), .success([]))
    #expect(
      run(["remove", "com.a", "com.b", "--json"], script)
        == Ending(
          .failed, #"{"bundle-identifier":"com.b"}"# + "\n",
          error: "lsregister: com.a is not registered\n"))
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
      run(["remove", "com.a"], script)
        == Ending(.success, error: "lsregister: com.A still runs, as process 42\n"))
  }

  @Test("reload prints nothing")
  func reload() {
    let script = ScriptedService(.success([]), .failure(.notRunning("no such service")))
    #expect(run(["reload"], script) == Ending(.success))
    #expect(
      run(["reload"], script)
        == Ending(
          .serviceUnreachable,
          error: "lsregister: launchservicesd does not run and the bus cannot start it: "
            + "no such service; start launchservicesd, or install it with systemd/install; where systemd"
            + " starts it, systemctl --user status launchservicesd says why it does not run\n"))
  }

  @Test("an answer of another shape is read as nothing")
  func oddAnswer() {
    #expect(run(["list"], ScriptedService(.success([]))) == Ending(.success))
    #expect(run(["list"], ScriptedService(.success([.byte(1)]))) == Ending(.success))
  }
}
