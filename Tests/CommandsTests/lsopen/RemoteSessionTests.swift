import Commands
import LaunchRules
import Testing

@testable import lsopen

@Suite("A session of lsopen ssh") struct RemoteSessionTests {
  /// Runs a session with an ssh that has prepared ends, and returns what ssh was asked.
  private func run(
    _ words: [String], _ ends: ChildProgram.End..., name: String = "build", isRemote: Bool = false,
    origin: String? = nil
  ) throws -> (status: Int32, steps: [String], error: String) {
    let screen = Screen()
    var steps: [String] = []
    var rest = ends[...]
    let session = RemoteSession(
      output: screen.output(of: "lsopen"), isRemote: { _ in isRemote },
      register: {
        steps.append("add \($0)")
        return "/run/remotes/\($0)"
      }, forget: { steps.append("forget \($0)") }, origin: { _ in origin },
      ssh: { program throws(CommandFailure) in
        steps.append(Self.step(program))
        return rest.popFirst() ?? .init(status: 0)
      }, controlFolder: { "/run/ssh" }, newToken: { "7f" })
    let status = session.run(try SSHInvocation(words), name: name)
    return (status, steps, screen.standardError)
  }

  private static func step(_ program: ChildProgram) -> String {
    let words = program.arguments
    if words.contains("-fN") { return "master \(words.last ?? "")" }
    if let control = words.firstIndex(of: "-O") {
      return words[(control + 1)...].prefix { $0 != "--" }.joined(separator: " ")
    }
    guard case .text(let script) = program.input else { return "session \(words.last ?? "")" }
    return script.contains("mkdir") ? "prepare" : "remove"
  }

  private let place = ChildProgram.End(
    status: 0,
    output:
      "Welcome to build\nlsopen-7f socket /run/user/7/forwarded-7f\nlsopen-7f lsopen /bin/lsopen\n")

  @Test("The socket is forwarded before the session begins, and removed after its end")
  func session() throws {
    let (status, steps, error) = try run(
      ["me@build", "make"], .init(status: 0), place, .init(status: 0), .init(status: 3))
    #expect(status == 3)
    #expect(
      steps == [
        "master me@build", "add build", "prepare",
        "forward -R /run/user/7/forwarded-7f:/run/remotes/build",
        "session exec env LAUNCH_SERVICES_REMOTE=/run/user/7/forwarded-7f BROWSER=/bin/lsopen $SHELL"
          + " -c make", "cancel -R /run/user/7/forwarded-7f:/run/remotes/build", "remove", "exit",
      ])
    #expect(error == "")
  }

  @Test("Without a connection there is no session, and the status is that of ssh") func noMaster()
    throws
  {
    let (status, steps, error) = try run(["build"], .init(status: 255))
    #expect(status == 255)
    #expect(steps == ["master build"])
    #expect(error == "")
  }

  @Test("A machine that forwards no sockets gets no session, and the message says why")
  func noForwarding() throws {
    let (status, steps, error) = try run(["build"], .init(status: 0), place, .init(status: 255))
    #expect(status == 255)
    #expect(
      steps == [
        "master build", "add build", "prepare",
        "forward -R /run/user/7/forwarded-7f:/run/remotes/build", "forget build", "exit",
      ])
    #expect(error.contains("AllowStreamLocalForwarding"))
  }

  @Test("A machine without a POSIX shell gets no session") func noShell() throws {
    let (status, steps, error) = try run(
      ["build"], .init(status: 0), .init(status: 0, output: "router> unknown command\n"))
    #expect(status == 255)
    #expect(steps == ["master build", "add build", "prepare", "forget build", "exit"])
    #expect(error.contains("build has no place for a socket"))
  }

  @Test("A host that was a remote before stays one, also without a session") func wasRemote() throws
  {
    let (_, steps, _) = try run(
      ["build"], .init(status: 0), place, .init(status: 255), isRemote: true)
    #expect(steps.last == "exit")
    #expect(!steps.contains("forget build"))
  }

  @Test("A session that a signal ended has the status of a shell, and is tidied up") func killed()
    throws
  {
    let (status, steps, _) = try run(
      ["build"], .init(status: 0), place, .init(status: 0), .init(signal: 15))
    #expect(status == 143)
    #expect(steps.suffix(2) == ["remove", "exit"])
  }

  @Test("The user hears that lsopen is missing there") func noCommand() throws {
    let (status, _, error) = try run(
      ["build"], .init(status: 0),
      .init(status: 0, output: "lsopen-7f socket /run/user/7/forwarded-7f\n"), .init(status: 0),
      .init(status: 0))
    #expect(status == 0)
    #expect(error.hasPrefix("lsopen: lsopen is not in PATH on build"))
  }

  @Test(
    "The name of a remote for a host",
    arguments: [
      ("build", "build"), ("fe80::1", "fe80--1"), ("bücher.example", "b-cher.example"),
      ("_x", "x"), ("[::1]", "1"), ("::", nil),
      ("production-cluster-eu-central-1-worker-node-001.example.org", nil),
    ])
  func hostName(host: String, name: String?) {
    #expect(RemoteName(ofHost: host)?.text == name)
  }

  @Test(
    "Another port of a host is another remote",
    arguments: [
      (["build"], "build"), (["-p", "22", "build"], "build"),
      (["-p2222", "me@build"], "build-2222"),
      (["ssh://me@build:2222"], "build-2222"), (["ssh://[::1]:2222"], "1-2222"),
      (["ssh://[::1]"], "1"),
    ])
  func port(words: [String], name: String) throws {
    let invocation = try SSHInvocation(words)
    #expect(RemoteName(ofHost: invocation.host, port: invocation.port)?.text == name)
  }

  @Test("The name of the remote can be chosen") func name() throws {
    let (_, steps, _) = try run(["build"], .init(status: 0), place, name: "work")
    #expect(steps[3] == "forward -R /run/user/7/forwarded-7f:/run/remotes/work")
  }
}
