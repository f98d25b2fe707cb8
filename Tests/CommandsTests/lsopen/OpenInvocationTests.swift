import BusContract
import Commands
import Testing

@testable import lsopen

@Suite struct OpenInvocationTests {
  @Test("R7.2 every option of an open is understood")
  func everyOption() throws {
    let invocation = try OpenInvocation([
      "-ng", "x:1", "-b", "com.a", "--as=com.b", "--timeout", "1.5", "--env", "A=1", "--env", "B",
      "--env", "C==", "--from-link", "--json", "y:2", "--args", "--json", "z",
    ])
    #expect(invocation.action == .open(["x:1", "y:2"]))
    var options = OpenOptions()
    options.newInstance = true
    options.activate = false
    options.application = "com.a"
    options.actAs = "com.b"
    options.environment = ["A": "1", "B": "", "C": "="]
    options.arguments = ["--json", "z"]
    options.isLink = true
    #expect(invocation.options == options)
    #expect(invocation.timeout == 1500)
    #expect(invocation.json)
  }

  @Test("R7.2 how an application is to start, and that its end is awaited")
  func launching() throws {
    let invocation = try OpenInvocation([
      "-jFW", "-i", "in", "-oout", "--stderr=err", "--quick-action", "com.a", "t",
    ])
    var options = OpenOptions()
    options.activate = false
    options.hidden = true
    options.fresh = true
    #expect(invocation.options == options)
    #expect(invocation.streams == StreamPaths(input: "in", output: "out", error: "err"))
    #expect(invocation.waitsForExit)
  }

  static let actions: [([String], OpenInvocation.Action)] = [
    (["x:1"], .open(["x:1"])),
    (["--can-open", "x:1"], .canOpen("x:1")),
    (["x:1", "--can-open", "--json"], .canOpen("x:1")),
    (["--explain", "--as", "com.a", "x:1"], .explain("x:1")),
    (["--quick-action", "com.a", "new"], .quickAction(application: "com.a", type: "new")),
    (["--quick-action", "-n", "com.a", "new"], .quickAction(application: "com.a", type: "new")),
    (["--", "-x"], .open(["-x"])),
    (["-u", "x:1", "y"], .open([Operand("x:1", isURL: true), "y"])),
    (["-b", "com.a"], .openApplication),
    (["-a", "Photos", "--args", "x"], .openApplication),
    (["-a", "Photos", "x:1"], .open(["x:1"])),
    (["-R", "f", "g"], .reveal(["f", "g"])),
    (["-Ra", "Photos"], .reveal([])),
    (["--on", "Phone", "x:1"], .open(["x:1"])),
    (["--explain", "--on", "Phone", "x:1"], .explain("x:1")),
    (["--continue", "com.a", "--on", "Phone"], .continueActivity(of: "com.a")),
    (["--help"], .help),
    (["-h", "--can-open"], .help),
    (["--version", "x:1"], .version),
  ]

  @Test("the action is told by option and operands", arguments: actions)
  func action(arguments: [String], action: OpenInvocation.Action) throws {
    #expect(try OpenInvocation(arguments).action == action)
  }

  static let refused: [([String], String)] = [
    ([], "there is no URL or path to open"),
    (["-n"], "there is no URL or path to open"),
    (["-a", ""], "option '--app' needs the name or path of an application"),
    (["-a", "A", "-b", "b", "x:1"], "options '--app' and '--application' exclude each other"),
    (["-R"], "option '--reveal' takes files, or else an application with -a or -b"),
    (
      ["-R", "-b", "b", "f"], "option '--reveal' takes files, or else an application with -a or -b"
    ),
    (["-R", "--explain", "f"], "options '--reveal' and '--explain' exclude each other"),
    (["-u", ""], "an empty argument is neither a URL nor a path"),
    (["--explain", "-u", "x:1"], "option '--url' does not go with '--explain'"),
    (["x:1", ""], "an empty argument is neither a URL nor a path"),
    (["--can-open"], "option '--can-open' takes one URL"),
    (
      ["--on", "", "x:1"],
      "option '--on' needs the name or the identifier of a device: 1 to 255 bytes"
    ),
    (
      ["--on", "Phone", "-b", "com.a", "x:1"],
      "option '--on' cannot be combined with an application, a text editor and '--universal-links-only'"
    ),
    (["--on", "Phone"], "there is no URL or path to open"),
    (["--can-open", "--on", "Phone", "x:1"], "option '--on' does not go with '--can-open'"),
    (
      ["--continue", "com.a"],
      "option '--continue' needs a device: lsopen --continue ID --on NAME"
    ),
    (["--continue", "--on", "Phone"], "option '--continue' takes one argument: ID"),
    (["--can-open", "x:1", "y:1"], "option '--can-open' takes one URL"),
    (["--can-open=x:1"], "option '--can-open' takes no value"),
    (["--explain"], "option '--explain' takes one URL"),
    (["--quick-action", "com.a"], "option '--quick-action' takes two arguments: ID TYPE"),
    (
      ["--can-open", "--explain", "x:1"],
      "options '--can-open' and '--explain' exclude each other"
    ),
    (["--can-open", "-n", "x:1"], "option '--new' does not go with '--can-open'"),
    (
      ["--quick-action", "-b", "com.a", "com.b", "t"],
      "option '--application' does not go with '--quick-action'"
    ),
    (["--can-open", "-W", "x:1"], "option '--wait-apps' does not go with '--can-open'"),
    (["--explain", "-i", "f", "x:1"], "option '--stdin' does not go with '--explain'"),
    (["-R", "-n", "f"], "option '--new' does not go with '--reveal'"),
    (["-R", "-g", "f"], "option '--background' does not go with '--reveal'"),
    (["-R", "-j", "f"], "option '--hide' does not go with '--reveal'"),
    (["-R", "-F", "f"], "option '--fresh' does not go with '--reveal'"),
    (["-R", "-W", "f"], "option '--wait-apps' does not go with '--reveal'"),
    (["-R", "-i", "x", "f"], "option '--stdin' does not go with '--reveal'"),
    (["-R", "-o", "x", "f"], "option '--stdout' does not go with '--reveal'"),
    (["-R", "--stderr", "x", "f"], "option '--stderr' does not go with '--reveal'"),
    (["-R", "--env", "A=1", "f"], "option '--env' does not go with '--reveal'"),
    (["-R", "--arch", "arm64", "f"], "option '--arch' does not go with '--reveal'"),
    (["-R", "--request-id", "r", "f"], "option '--request-id' does not go with '--reveal'"),
    (["--can-open", "--from-link", "x:1"], "option '--from-link' does not go with '--can-open'"),
    (["-R", "--no-ask", "f"], "option '--no-ask' does not go with '--reveal'"),
    (["-R", "--as", "b", "f"], "option '--as' does not go with '--reveal'"),
    (["-o"], "option '-o' needs a value: PATH"),
    (
      ["--env", "\u{10FEFF}", "x:1"],
      "'\u{10FEFF}' is not UTF-8; only names of files may have another encoding"
    ),
    (["--env", "=1", "x:1"], "option '--env' needs NAME=VALUE, not '=1'"),
    (["--env", "", "x:1"], "option '--env' needs NAME=VALUE, not ''"),
    (
      ["--timeout", "soon", "x:1"],
      "option '--timeout' needs seconds from 0.001 to 2000000, not 'soon'"
    ),
    (
      ["--timeout", "0", "x:1"],
      "option '--timeout' needs seconds from 0.001 to 2000000, not '0'"
    ),
    (
      ["--timeout", "nan", "x:1"],
      "option '--timeout' needs seconds from 0.001 to 2000000, not 'nan'"
    ),
    (
      ["--timeout", "1e9", "x:1"],
      "option '--timeout' needs seconds from 0.001 to 2000000, not '1e9'"
    ),
  ]

  @Test("what cannot be meant is refused, naming the argument", arguments: refused)
  func refuses(arguments: [String], reason: String) {
    #expect(throws: CommandFailure(.usage, reason)) { try OpenInvocation(arguments) }
  }
}
