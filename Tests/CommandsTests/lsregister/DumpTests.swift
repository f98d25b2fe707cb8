import Commands
import DBus
import LaunchRules
import Testing

@testable import lsregister

/// `lsregister dump`.
@Suite struct DumpTests {
  private static let bare: Options = ["bundle-identifier": .string("a.b")]

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
      runRegister(
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

  @Test("dump leaves out the types of Core Types, unless --core-types asks for them")
  func coreTypes() {
    func application(_ identifier: String, system: Bool) -> Options {
      [
        "bundle-identifier": .string(identifier), "system": .boolean(system),
        "exported-types": .optionsList([
          ["type": .string("public.data")], ["type": .string("public.text")],
        ]),
      ]
    }
    let core = "org.launchservices.system.CoreTypes"
    func output(_ arguments: [String], _ applications: [Options]) -> String {
      let ending = runRegister(
        ["dump"] + arguments,
        ScriptedService(.success([.optionsList(applications)]), .success([.optionsList([])])))
      #expect(ending.code == .success)
      return ending.standardOutput
    }
    let system = application(core, system: true)
    #expect(
      output([], [system])
        == """
        \(String(repeating: "-", count: 80))
        bundle-identifier:  \(core)
        system:             yes
        core-types:         2 types, which --core-types prints

        """)
    #expect(output(["--core-types"], [system]).contains("public.data"))
    #expect(!output([], [application(core.lowercased(), system: true)]).contains("public.data"))
    #expect(!output(["--json"], [system]).contains("types"))
    #expect(output(["--json", "--core-types"], [system]).contains("public.data"))
    // Types of other applications are always printed, whatever the applications call themselves.
    for other in [application(core, system: false), application("a.b", system: true)] {
      #expect(output([], [other]).contains("public.data"))
    }
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
      runRegister(["dump", "--dot"], script)
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
    let ending = runRegister(["dump", "--dot"], script)
    #expect(ending.code == .success)
    #expect(ending.standardOutput.contains(#""scheme x" -> "application a.b";"#))
  }
}
