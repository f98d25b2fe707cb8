import LaunchRules
import Testing

@Suite("Command lines of ssh") struct SSHTests {
  @Test("Options, destination and command are told apart as ssh does") func parsing() throws {
    let plain = try SSHInvocation(["-p", "2222", "-vTiKEY", "me@build", "-4", "make", "-j", "8"])
    #expect(plain.options == ["-p", "2222", "-v", "-T", "-i", "KEY", "-4"])
    #expect(plain.destination == "me@build")
    #expect(plain.host == "build")
    #expect(
      try SSHInvocation(["-p2201", "-i", "a b'c", "me@build", "ls", "-l"]).words
        == #"-p 2201 -i 'a b'\''c' me@build"#)
    #expect(plain.command == ["make", "-j", "8"])
    #expect(try SSHInvocation(["--", "build", "-x"]).command == ["-x"])
    #expect(try SSHInvocation(["build"]).command == [])
  }

  @Test(
    "The host of a destination",
    arguments: [
      ("build", "build"), ("me@build", "build"), ("a@b@build", "build"),
      ("ssh://me@build:2222/", "build"), ("ssh://[fe80::1]:22", "fe80::1"), ("::1", "::1"),
    ])
  func host(destination: String, host: String) throws {
    #expect(try SSHInvocation([destination]).host == host)
  }

  private static let commandInOption =
    "the option RemoteCommand of ssh cannot be used here, because the connection carries a session;"
    + " write the command after the host"

  @Test(
    "What no session can carry is refused",
    arguments: [
      ([], "there is no host to connect to"), (["-p"], "the option -p of ssh needs a value"),
      (["-Z", "h"], "ssh has no option -Z"), (["--", "-h"], "'-h' is no host"),
      ([""], "'' is no host"),
      (
        ["-N", "h"],
        "the option -N of ssh cannot be used here, because the connection carries a session; use ssh"
          + " itself"
      ),
      (["-oRemoteCommand=make", "h"], commandInOption),
      (["-o", "RemoteCommand make", "h"], commandInOption),
      (["h", "-vo", " remotecommand = make"], commandInOption),
    ])
  func refused(words: [String], sentence: String) {
    #expect(throws: SSHInvocation.Problem.self) { try SSHInvocation(words) }
    do throws(SSHInvocation.Problem) {
      _ = try SSHInvocation(words)
    } catch {
      #expect(error.sentence == sentence)
    }
  }

  @Test("Other options are passed on, unchanged") func otherOptions() throws {
    let options = ["User=me", "RemoteForward 1 h:2", "RemoteCommand=none", "RemoteCommand = None"]
    let words = options.flatMap { ["-o", $0] }
    #expect(try SSHInvocation(words + ["h"]).options == words)
    #expect(try SSHInvocation(["-oUser=me", "h"]).options == ["-o", "User=me"])
  }

  @Test("A socket on the far machine has a path of at most 107 bytes") func longestSocket() {
    let longest = "/" + String(repeating: "a", count: 106)
    for (path, isPlace) in [(longest, true), (longest + "a", false)] {
      let place = RemoteShell.Place(lines: ["m-1 socket \(path)"], marker: "m-1")
      #expect((place?.socket == path) == isPlace)
    }
  }

  @Test("The session goes over the master, with the user's options after ours") func session()
    throws
  {
    let own = [
      "-o", "ControlMaster=no", "-o", "ControlPath=/run/a%%b", "-o", "ProxyCommand=false",
      "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none",
    ]
    let login = try SSHInvocation(["-J", "jump", "-T", "-F", "config", "-L", "1:h:2", "build"])
    #expect(
      SSHCommand.session(login, socket: "/run/a%b", command: "exec sh")
        == own + ["-t", "-T", "-F", "config", "-L", "1:h:2", "--", "build", "exec sh"])
    #expect(
      SSHCommand.overMaster(login, socket: "/run/a%b", command: "exec sh")
        == own + ["-T", "-F", "config", "--", "build", "exec sh"])
    let command = try SSHInvocation(["build", "make"])
    #expect(
      SSHCommand.session(command, socket: "/run/a%b", command: "make")
        == own + ["--", "build", "make"])
  }

  @Test("A master is asked without the user's configuration") func control() throws {
    #expect(
      SSHCommand.control(.forward(remote: "/r", local: "/l"), socket: "/c") == [
        "-F", "none", "-o", "ControlPath=/c", "-O", "forward", "-R", "/r:/l", "--", "master",
      ])
    for (host, spec) in [
      ("localhost", "localhost:8000:localhost:8000"),
      ("127.0.0.1", "127.0.0.1:8000:127.0.0.1:8000"),
      ("::1", "[::1]:8000:[::1]:8000"), ("[::1]", "[::1]:8000:[::1]:8000"),
    ] {
      let host = try #require(LoopbackHost(host: host))
      #expect(
        SSHCommand.control(.cancelPort(8000, host), socket: "/c") == [
          "-F", "none", "-o", "ControlPath=/c", "-O", "cancel", "-L", spec, "--", "master",
        ])
      #expect(SSHCommand.control(.forwardPort(8000, host), socket: "/c").contains(spec))
    }
  }

  @Test("A relay asks no questions and forwards nothing") func relay() {
    let words = SSHCommand.relay(to: "build", command: RemoteShell.relay)
    #expect(words.suffix(3) == ["--", "build", RemoteShell.relay])
    for option in [
      "BatchMode=yes", "ClearAllForwardings=yes", "ForwardAgent=no", "ForwardX11=no",
      "PermitLocalCommand=no", "ConnectTimeout=15",
    ] {
      #expect(words.contains(option))
    }
  }

  @Test("Only the statuses 0 to 254 are those of the command") func status() {
    #expect(SSHStatus(0) == .command(0))
    #expect(SSHStatus(254) == .command(254))
    #expect(SSHStatus(255) == .unknown)
    #expect(SSHStatus(nil) == .unknown)
    #expect(SSHStatus(127).isCommandMissing)
    #expect(!SSHStatus(1).isCommandMissing)
  }

  @Test("Of what a far machine prints, only lines with the marker count") func place() {
    func place(_ lines: String...) -> RemoteShell.Place? {
      RemoteShell.Place(lines: lines, marker: "m-1")
    }
    #expect(
      place("Welcome!", "m-1 socket /run/user/7/s", "m-1 lsopen /home/u/.local/bin/lsopen")
        == .init(socket: "/run/user/7/s", browser: "/home/u/.local/bin/lsopen"))
    // An alias, and a function.
    #expect(
      place("m-1 socket /s", "m-1 lsopen alias lsopen='x'") == .init(socket: "/s", browser: nil))
    #expect(place("m-2 socket /s") == nil)
    #expect(place("socket /s") == nil)
    #expect(place("m-1 socket relative") == nil)
    #expect(place("m-1 socket /a:b") == nil)
    #expect(place("m-1 socket /" + String(repeating: "a", count: 107)) == nil)
  }

  @Test("A folder to which others may write is reported instead of a place") func unsafeFolder() {
    func folder(_ lines: String...) -> String? {
      RemoteShell.unsafeFolder(lines: lines, marker: "m-1")
    }
    #expect(folder("Welcome!", "m-1 unsafe /run/user/7/a b") == "/run/user/7/a b")
    #expect(folder("m-1 socket /s", "m-2 unsafe /a", "m-1 unsafe relative", "unsafe /a") == nil)
  }

  @Test("The session's command line names the socket and the command that opens URLs") func line() {
    let place = RemoteShell.Place(socket: "/run/a b", browser: "/bin/lsopen")
    #expect(
      RemoteShell.session([], place)
        == #"exec env LAUNCH_SERVICES_REMOTE=/run/a\ b BROWSER=/bin/lsopen $SHELL -l"#)
    #expect(
      RemoteShell.session(["echo", "$HOME", "&&", "ls"], .init(socket: "/s", browser: nil))
        == #"exec env LAUNCH_SERVICES_REMOTE=/s $SHELL -c echo\ \$HOME\ \&\&\ ls"#)
  }
}
