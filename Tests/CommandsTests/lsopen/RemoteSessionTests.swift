import Commands
import Foundation
import LaunchRules
import TemporaryFolders
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
    #expect(
      error.hasSuffix(
        " ssh build 'mkdir -p .local/bin && cat >.local/bin/lsopen && chmod +x .local/bin/lsopen'"
          + " <\"$(command -v lsopen)\"; ssh build ln -s lsopen .local/bin/xdg-open\n"))
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

@Suite("The folder of ssh's control sockets") struct ControlFolderTests {
  private func made(_ runtime: String?) -> Result<String, CommandFailure> {
    do throws(CommandFailure) {
      return .success(try ControlFolder { $0 == "XDG_RUNTIME_DIR" ? runtime : nil }.made())
    } catch {
      return .failure(error)
    }
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("Only the user may enter it") func isPrivate() throws {
    let runtime = try TemporaryFolder()
    let folder = try made(runtime.path).get()
    #expect(folder == "\(runtime.path)/\(SSHControlSocket.folder)")
    #expect(try mode(folder) == 0o700)
    #expect(try made(runtime.path).get() == folder)
  }

  @Test(
    "A link, a file and a folder that others may enter are refused, also one level above",
    arguments: ["link", "file", "others"], [true, false])
  func refused(_ kind: String, _ isParent: Bool) throws {
    let runtime = try TemporaryFolder()
    let whole = "\(runtime.path)/\(SSHControlSocket.folder)"
    let place = isParent ? (whole as NSString).deletingLastPathComponent : whole
    let parent = (place as NSString).deletingLastPathComponent
    let files = FileManager.default
    try files.createDirectory(
      atPath: parent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    switch kind {
    case "link":
      let target = runtime.path + "/elsewhere"
      try files.createDirectory(
        atPath: target, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try files.createSymbolicLink(atPath: place, withDestinationPath: target)
    case "file": try Data().write(to: URL(filePath: place))
    default:
      try files.createDirectory(atPath: place, withIntermediateDirectories: false)
      try files.setAttributes([.posixPermissions: 0o750], ofItemAtPath: place)
    }
    guard case .failure(let failure) = made(runtime.path) else {
      Issue.record("\(place) was used")
      return
    }
    #expect(failure.reason.contains("\(place) ") && failure.code == .failed, "\(failure.reason)")
  }

  @Test("Without a runtime folder there is none", arguments: [nil, "", "relative"])
  func none(_ runtime: String?) throws {
    guard case .failure(let failure) = made(runtime) else {
      Issue.record("a folder was made")
      return
    }
    #expect(failure.reason.hasPrefix("XDG_RUNTIME_DIR is not set"))
  }
}
