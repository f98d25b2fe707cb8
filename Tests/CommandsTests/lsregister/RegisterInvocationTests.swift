import BuildSettings
import Commands
import LaunchRules
import StubApplications
import Testing

@testable import lsregister

@Suite struct RegisterInvocationTests {
  static let scheme = URLScheme("myapp")!

  static let actions: [([String], RegisterInvocation.Action)] = [
    (["add", "a.app", "b"], .add(["a.app", "b"])),
    (["remove", "com.a", "com.b"], .remove(["com.a", "com.b"])),
    (["list"], .list),
    (["--json", "list"], .list),
    (["show", "com.a"], .show("com.a")),
    (["handlers", "MyApp"], .handlers(.scheme(scheme))),
    (["default", "myapp"], .printDefault(.scheme(scheme))),
    (["default", "myapp", "com.a"], .setDefault(.scheme(scheme), "com.a")),
    (["default", "--unset", "myapp"], .setDefault(.scheme(scheme), nil)),
    (["handlers", "public.PNG"], .handlers(.type(TypeIdentifier("public.png")!))),
    (["handlers", "com.example.app:"], .handlers(.scheme(URLScheme("com.example.app")!))),
    (["handlers", "./photo.png"], .handlers(.file("./photo.png"))),
    (["handlers", "Text/HTML"], .handlers(.mimeType("text/html"))),
    (["handlers", "./text/html"], .handlers(.file("./text/html"))),
    (["handlers", "photos/a.png"], .handlers(.file("photos/a.png"))),
    (["handlers", "x-scheme-handler/myapp"], .handlers(.scheme(scheme))),
    (
      ["default", "application/svg+xml", "a.desktop"],
      .setDefault(.mimeType("application/svg+xml"), "a.desktop")
    ),
    (["default", "/a b", "com.a"], .setDefault(.file("/a b"), "com.a")),
    (["default", "--unset", "public.png"], .setDefault(.type(TypeIdentifier("public.png")!), nil)),
    (["type", "photo.png"], .type("photo.png")),
    (["lint", "--define=A=1", "x"], .lint(["x"])),
    (["dump"], .dump(coreTypes: false)), (["dump", "--core-types"], .dump(coreTypes: true)),
    (["reload"], .reload),
    (["desktop", "enable"], .desktop(.enable, [], all: false)),
    (["desktop", "enable", "--all"], .desktop(.enable, [], all: true)),
    (["desktop", "enable", "MyApp"], .desktop(.enable, [scheme], all: false)),
    (["desktop", "disable", "myapp"], .desktop(.disable, [scheme], all: false)),
    (["desktop", "disable"], .desktop(.disable, [], all: false)),
    (["--json", "desktop", "status"], .desktop(.status, [], all: false)),
    (["handover"], .handover([])),
    (["devices"], .devices),
    (["handover", "a.desktop", "gtk-open", "a.b"], .handover(["a.desktop", "gtk-open", "a.b"])),
    (["--help"], .help(nil)),
    (["add", "-h"], .help(.add)),
    (["--version"], .version),
  ]

  @Test("each verb is understood", arguments: actions)
  func understands(arguments: [String], action: RegisterInvocation.Action) throws {
    #expect(try RegisterInvocation(arguments).action == action)
  }

  @Test("build variables are gathered, and the last of a name wins")
  func definitions() throws {
    let invocation = try RegisterInvocation([
      "add", "--define", "A=1", "x", "--define=B=2=3", "--define", "A=4", "--json",
    ])
    #expect(invocation.build.definitions == ["A": "4", "B": "2=3"])
    #expect(invocation.json)
  }

  @Test("a stand-in accepts everything, unless the command says otherwise")
  func standIn() throws {
    #expect(try RegisterInvocation(["add", "x"]).standIn == nil)
    #expect(try RegisterInvocation(["add", "--stub", "x"]).standIn == .accepting)
    for arguments in [["--stub", "--behaviour", "veto"], ["--behaviour", "veto", "--stub"]] {
      #expect(try RegisterInvocation(["add", "x"] + arguments).standIn?.word == "veto")
    }
  }

  private static let desktop =
    "these arguments are not valid; write: lsregister "
    + "desktop (enable [SCHEME... | --all] | disable [SCHEME...] | status)"

  static let refused: [([String], String)] = [
    ([], "there is no verb"),
    (["--json"], "there is no verb"),
    (["register"], "'register' is not a verb"),
    (
      ["add"],
      "these arguments are not valid; write: lsregister add [--stub] [--xcode PROJECT] [PATH...]"
    ),
    (["add", "--behaviour", "veto", "a"], "option '--behaviour' needs --stub"),
    (
      ["add", "--stub", "--behaviour", "explode", "a"],
      "option '--behaviour': 'explode' is not a behaviour; the behaviours are veto, hang-at-launch,"
        + " crash-at-launch, accept, refuse, hang, crash"
    ),
    (["list", "x"], "these arguments are not valid; write: lsregister list"),
    (["show"], "these arguments are not valid; write: lsregister show ID"),
    (["show", "a", "b"], "these arguments are not valid; write: lsregister show ID"),
    (
      ["default", "myapp", "com.a", "--unset"],
      "these arguments are not valid; write: lsregister default (SCHEME | TYPE | FILE) [ID | --unset]"
    ),
    (
      ["handlers", "myapp:"],
      "'myapp:' is not a URL scheme; give its name alone: myapp"
    ),
    (["default", "1x"], "'1x' is not a URL scheme; give its name alone, such as 'mailto'"),
    (["list", "--define", "A=1"], "option '--define' does not go with 'list'"),
    (
      ["dump", "--dot", "--core-types"], "options '--dot' and '--core-types' exclude each other"
    ),
    (["add", "x", "--unset"], "option '--unset' does not go with 'add'"),
    (["add", "x", "--define", "A"], "option '--define' needs NAME=VALUE, not 'A'"),
    (["lint", "x", "--target", "T"], "option '--target' needs --xcode"),
    (
      ["lint", "x", "--sdk", "linux1"],
      "option '--sdk' takes an SDK such as iphoneos26.0 or 26.0, not 'linux1'"
    ),
    (["add", "x", "--platform", "tvos"], "option '--platform' takes ios or macos, not 'tvos'"),
    (
      ["add", "x", "--team", "a.b"],
      "option '--team' takes letters and digits, such as ABCDE12345, not 'a.b'"
    ),
    (
      ["lint", "x", "--format", "xml"],
      "option '--format' takes text, json, junit, tap or github, not 'xml'"
    ),
    (
      ["lint", "x", "--json", "--format=tap"], "options '--format' and '--json' exclude each other"
    ),
    (["remove", "a", ""], "'remove' has an empty argument"),
    (
      ["desktop", "enable", "1x"], "'1x' is not a URL scheme; give its name alone, such as 'mailto'"
    ),
    (["desktop", "enable", "x", "--all"], desktop), (["desktop", "disable", "--all"], desktop),
    (["desktop", "status", "x"], desktop), (["desktop"], desktop), (["desktop", "on"], desktop),
  ]

  @Test("what cannot be meant is refused, naming the argument", arguments: refused)
  func refuses(arguments: [String], reason: String) {
    #expect(throws: CommandFailure(.usage, reason)) { try RegisterInvocation(arguments) }
  }
}
