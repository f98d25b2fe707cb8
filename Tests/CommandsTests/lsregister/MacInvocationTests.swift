import Commands
import DBus
import LaunchRules
import Testing

@testable import lsregister

/// The spellings of macOS's lsregister (R7.9).
@Suite struct MacInvocationTests {
  static let understood: [([String], @Sendable (inout MacInvocation) -> Void)] = [
    (["-f", "A.app", "B.app"], { $0.paths = ["A.app", "B.app"] }),
    (
      ["-f", "-r", "-v", "/Applications"],
      {
        $0.search = .recursive
        $0.isVerbose = true
        $0.paths = ["/Applications"]
      }
    ),
    (
      ["-R", "-f", "/a"],
      {
        $0.search = .everywhere
        $0.paths = ["/a"]
      }
    ),
    (
      ["-u", "A.app"],
      {
        $0.unregisters = true
        $0.paths = ["A.app"]
      }
    ),
    (["-dump"], { $0.dumps = true }),
    (["-lint"], { $0.lints = true }),
    (
      ["-gc", "-v"],
      {
        $0.forgetsMissing = true
        $0.isVerbose = true
      }
    ),
    (["-seed"], { $0.rescans = true }),
    (["-kill"], { $0.forgetsAll = true }),
    (
      ["-kill", "-r", "-domain", "local", "-domain", "system", "-domain", "user"],
      {
        $0.forgetsAll = true
        $0.rescans = true
        $0.search = .recursive
      }
    ),
    (
      ["-kill", "-r", "-v", "-apps", "l,s,u"],
      {
        $0.forgetsAll = true
        $0.rescans = true
        $0.isVerbose = true
        $0.search = .recursive
      }
    ),
    (["-all", "local,system,user,network"], { $0.rescans = true }),
  ]

  @Test("are understood", arguments: understood.indices)
  func understands(row: Int) throws {
    let (arguments, change) = Self.understood[row]
    var expected = try #require(try MacInvocation(["-seed"]))
    expected.rescans = false
    change(&expected)
    #expect(try MacInvocation(arguments) == expected)
    #expect(try RegisterInvocation(arguments).action == .macOS(expected))
  }

  @Test("-h prints the help, and what has no single dash is ours")
  func ours() throws {
    #expect(try RegisterInvocation(["-h"]).action == .help(nil))
    #expect(try RegisterInvocation(["-v", "-h"]).action == .help(nil))
    #expect(try MacInvocation(["dump"]) == nil)
    #expect(try MacInvocation(["--json", "list"]) == nil)
    #expect(try MacInvocation([]) == nil)
  }

  static let refused: [([String], String)] = [
    (["-f"], "there is no path to register"), (["-u"], "there is no path to unregister"),
    (["-v"], "there is no path to register"), (["-r"], "there is no path to register"),
    (["-f", "-u", "A"], "options '-f' and '-u' exclude each other"),
    (["-f", ""], "an empty argument is not a path"),
    (["-dump", "Bundle"], "option '-dump' prints everything, not the table 'Bundle'"),
    (["-domain"], "option '-domain' needs a domain"),
    (
      ["-kill", "-domain", "local,x"],
      "option '-domain' needs some of system, local, network, user, not 'x'"
    ),
    (
      ["-delete"],
      "option '-delete' of macOS is not supported here: '-kill' forgets the registrations"
    ),
    (
      ["-lazy", "5"],
      "option '-lazy' of macOS is not supported here: write: sleep SECONDS; lsregister ..."
    ),
    (["-f", "-x", "A"], "option '-x' of macOS is not supported here"),
  ]

  @Test("what is not there is refused, with what to do instead", arguments: refused)
  func refuses(arguments: [String], reason: String) {
    #expect(throws: CommandFailure(.usage, reason)) { try RegisterInvocation(arguments) }
  }

  private func run(_ arguments: [String], _ script: ScriptedService) -> Ending {
    let screen = Screen()
    let command = RegisterCommand(
      service: script.service, output: screen.output(of: "lsregister"), folder: "/usr",
      languages: .none)
    let code = command.run(arguments)
    return Ending(code, screen.standardOutput, error: screen.standardError)
  }

  @Test("R7.10 what was not registered is told in the words of macOS, and the others go on")
  func unknown() {
    let unknown = BusError("org.launchservices.Error.NotRegistered", "no")
    let script = ScriptedService(.failure(.refused(unknown)), .success([]))
    #expect(
      run(["-u", "-v", "A.app", "/B.app"], script)
        == Ending(
          .no, "unregistered: /B.app\n",
          error: "failed to scan /usr/A.app: -10814\n from spotlight\n"))
    #expect(script.calls.map(\.arguments) == [[.string("/usr/A.app")], [.string("/B.app")]])
  }

  @Test("-kill forgets first, then reads again; -gc forgets what is missing")
  func rebuilds() {
    let script = ScriptedService(.success([.strings(["/a"])]), .success([]))
    #expect(
      run(["-kill", "-r", "-v", "-domain", "user"], script) == Ending(.success, "forgotten: /a\n"))
    #expect(script.calls.map(\.member) == ["ForgetRegistrations", "Reload"])
    let other = ScriptedService(.success([.strings([])]))
    #expect(run(["-gc"], other) == Ending(.success))
    #expect(
      other.calls.map(\.arguments) == [[.options(["missing": .boolean(true)])]])
  }

  @Test("-lint alone prints what is odd in everything, with status 1 when something is an error")
  func lintsAll() {
    for (severity, code) in [("note", ExitCode.success), ("error", .no)] {
      let odd: Options = [
        "bundle-identifier": .string("a.b"),
        "diagnostics": .strings(["a: note: odd", "b: \(severity): odder"]),
      ]
      #expect(
        run(
          ["-lint"],
          ScriptedService(.success([.optionsList([odd])]), .success([.optionsList([])])))
          == Ending(code, "a: note: odd\nb: \(severity): odder\n"))
    }
  }
}
