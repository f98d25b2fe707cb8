import Foundation
import Host
import LaunchRules
import Testing

@testable import LaunchServicesDaemon

/// Ports for the end of a login, with a program in place of ssh.
@MainActor @Suite("Forwarded ports of logins", .timeLimit(.minutes(30))) struct LoginCallbacksTests
{
  /// A remote whose callbacks are forwarded.
  @MainActor private final class World {
    static let box = RemoteName("box")!
    let ssh: ScriptedSSH
    let remotes: RemoteStore
    let callbacks: LoginCallbacks
    let events: ScriptedSSH.Gate

    /// The program tells what the master is asked for, and watches ports as `watch` says.
    /// - Parameters:
    ///   - hasMaster: whether the connection goes on.
    ///   - usedAddress: where a program of this machine listens at each port.
    init(watch: String, hasMaster: Bool = true, usedAddress: String? = nil) throws {
      ssh = try ScriptedSSH(
        """
        case "$*" in
          *'-O forward'*) echo "$*" >>forwards; echo forward >events;;
          *'-O cancel'*) echo cancel >events;;
          *'-O check'*) exit \(hasMaster ? 0 : 255);;
          *--await-callback*) echo "$*" >>watches; echo watch >events; \(watch);;
        esac
        """)
      events = try ssh.pipe("events")
      remotes = RemoteStore(
        StateFile(path: ssh.folder + "/remotes.plist"), ssh.log.journal)
      try remotes.add(Self.box)
      try remotes.setCallbacks(true, for: World.box)
      try FileManager.default.createDirectory(
        atPath: ssh.folder + "/control", withIntermediateDirectories: false)
      try ssh.write([], to: "control/" + SSHControlSocket.name(of: "box", token: "12345678"))
      callbacks = LoginCallbacks(
        folder: ssh.folder + "/control", remotes, ssh.environment, ssh.log.journal
      ) { _ in usedAddress }
    }

    /// The same part of the next daemon.
    func next() -> LoginCallbacks {
      LoginCallbacks(folder: ssh.folder + "/control", remotes, ssh.environment, ssh.log.journal)
    }

    /// Opens a page whose callback names another address than the one before.
    func change(_ url: String) async throws {
      let callback = try #require(callbacks.callback(of: url, by: .remote(World.box)))
      #expect(await callbacks.forward(callback, for: .remote(World.box)) == nil)
      for event in ["cancel", "forward", "watch"] { #expect(try await events.line() == event) }
    }

    /// Opens a page, and waits until its port is forwarded and watched.
    func open(_ url: String) async throws {
      let callback = try #require(callbacks.callback(of: url, by: .remote(World.box)))
      #expect(await callbacks.forward(callback, for: .remote(World.box)) == nil)
      #expect(try await events.line() == "forward")
      #expect(try await events.line() == "watch")
    }
  }

  private static let login = "https://login.example/?redirect_uri=http://localhost:8085/"

  @Test("the port is closed as soon as lsopen there says that the login is over") func answered()
    async throws
  {
    let test = try World(watch: "read -r line <gate")
    let gate = try test.ssh.pipe("gate")
    try await test.open(Self.login)
    try gate.lets()
    #expect(try await test.events.line() == "cancel")
    try await test.ssh.logs("the browser was answered, or the program there has ended")
    #expect(
      test.ssh.lines(of: "watches").first?.contains("lsopen --await-callback 8085 once") == true)
  }

  @Test("a page of the program itself is forwarded until the program ends") func ownPage()
    async throws
  {
    let test = try World(watch: "exit 0")
    try await test.open("http://localhost:8888/tree")
    #expect(try await test.events.line() == "cancel")
    #expect(
      test.ssh.lines(of: "watches").first?.contains("lsopen --await-callback 8888 closed") == true)
  }

  @Test(
    "where lsopen cannot watch, the port stays for the longest time, and the log says why",
    arguments: ["exit 127", "exit 2", "exit 255", "kill -9 $$"])
  func cannotWatch(_ watch: String) async throws {
    let test = try World(watch: watch)
    try await test.open(Self.login)
    try await test.ssh.logs("does not say when a login is over")
    // The next event is the one that the user causes.
    await test.callbacks.endAll(of: World.box)
    #expect(try await test.events.line() == "cancel")
  }

  @Test("the next daemon closes the ports of one that was killed, and only once") func killed()
    async throws
  {
    let test = try World(watch: "exec cat")
    try await test.open(Self.login)
    let next = test.next()
    next.endEarlier()
    // For each address that a callback may name.
    for _ in LoopbackHost.allCases { #expect(try await test.events.line() == "cancel") }
    try await test.ssh.logs("launchservicesd was started again")
    // The next event is the one that the user causes.
    test.next().endEarlier()
    await test.callbacks.endAll(of: World.box)
    #expect(try await test.events.line() == "cancel")
  }

  @Test("the port is forwarded at the address that the callback names, and to the same there")
  func address() async throws {
    let test = try World(watch: "exec cat")
    for (index, host) in ["[::1]", "127.0.0.1", "localhost"].enumerated() {
      if index > 0 {
        try await test.change("https://a.example/?redirect_uri=http://\(host):8085/")
      } else {
        try await test.open("https://a.example/?redirect_uri=http://\(host):8085/")
      }
      #expect(test.ssh.lines(of: "forwards").last?.contains("-L \(host):8085:\(host):8085") == true)
    }
  }

  @Test("the user ends the right: the port is closed, and the watch ends") func denied()
    async throws
  {
    let test = try World(watch: "echo $$ >pids; exec cat")
    let pids = try test.ssh.pipe("pids")
    try await test.open(Self.login)
    let pid = try #require(pid_t(try await pids.line()))
    await test.callbacks.endAll(of: World.box)
    #expect(try await test.events.line() == "cancel")
    while kill(pid, 0) == 0 { await Task.yield() }
  }

  @Test("a second login at the same port is watched anew, and the first watch ends nothing")
  func again() async throws {
    let test = try World(watch: "read -r line <gate")
    let gate = try test.ssh.pipe("gate")
    for _ in 0..<2 {
      try await test.open(Self.login)
    }
    try gate.lets()
    #expect(try await test.events.line() == "cancel")
  }

  @Test("the end of the connection ends the port at once, so that further logins have a place")
  func connectionEnds() async throws {
    let test = try World(watch: "exit 255", hasMaster: false)
    for port in 8085..<8091 {
      try await test.open("https://login.example/?redirect_uri=http://localhost:\(port)/")
      try await test.ssh.logs("the connection of 'lsopen ssh' has ended")
    }
  }

  @Test("a connection that has ended without a sign leaves no port that counts") func silentEnd()
    async throws
  {
    let test = try World(watch: "exec cat", hasMaster: false)
    for port in 8085..<8091 {
      try await test.open("https://login.example/?redirect_uri=http://localhost:\(port)/")
    }
  }

  @Test("while the connection goes on, a fifth port is refused") func limit() async throws {
    let test = try World(watch: "exec cat")
    for port in 8085..<8089 {
      try await test.open("https://login.example/?redirect_uri=http://localhost:\(port)/")
    }
    let fifth = try #require(test.callbacks.callback(of: Self.login5, by: .remote(World.box)))
    #expect(await test.callbacks.forward(fifth, for: .remote(World.box)) == .tooManyPorts)
    try await test.ssh.logs("4 ports are forwarded for this remote, which is the limit")
    await test.callbacks.endAll(of: World.box)
    for _ in 0..<4 { #expect(try await test.events.line() == "cancel") }
  }

  private static let login5 = "https://login.example/?redirect_uri=http://localhost:8089/"

  @Test(
    "the opener learns that the user allows no callbacks, and nothing of the ports here without a connection"
  )
  func problems() async throws {
    let test = try World(watch: "exit 0", usedAddress: "::1")
    let callback = try #require(test.callbacks.callback(of: Self.login, by: .remote(World.box)))
    try FileManager.default.removeItem(atPath: test.ssh.folder + "/control")
    #expect(await test.callbacks.forward(callback, for: .remote(World.box)) == .notConnected)
    try test.remotes.setCallbacks(false, for: World.box)
    #expect(await test.callbacks.forward(callback, for: .remote(World.box)) == .notAllowed)
    try await test.ssh.logs("lsregister remote allow-callback box")
  }

  @Test("a port that another program uses is not forwarded, and the log says at which address")
  func used() async throws {
    let test = try World(watch: "exit 0", usedAddress: "::1")
    let callback = try #require(test.callbacks.callback(of: Self.login, by: .remote(World.box)))
    #expect(await test.callbacks.forward(callback, for: .remote(World.box)) == .portInUse)
    try await test.ssh.logs("another program of this machine uses the port at ::1")
    // An earlier daemon may have left the port to ssh, at each address that a callback may name.
    for _ in LoopbackHost.allCases { #expect(try await test.events.line() == "cancel") }
    #expect(test.ssh.lines(of: "watches").isEmpty)
  }
}
