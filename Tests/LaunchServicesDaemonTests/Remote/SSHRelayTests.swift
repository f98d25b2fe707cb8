import BusContract
import DBus
import Foundation
import Host
import LaunchRules
import Testing

@testable import LaunchServicesDaemon

/// Calls to another machine, with a program in place of ssh that says what happens to the connection.
@MainActor @Suite("Calls by ssh", .timeLimit(.minutes(30))) struct SSHRelayTests {
  private static let ready = "echo 'launch-services-relay 1 ready'"
  private static let url = "photos:1"

  private static func message(_ isRepeated: Bool = false) -> Message {
    var options = OpenOptions()
    options.requestID = "one"
    options.isRepeated = isRepeated
    return Contract.openURL(url, options)
  }

  /// The size of the call, and a file with the reply of the machine.
  private static func prepare(_ ssh: ScriptedSSH) throws -> Int {
    let call = message()
    let bytes = call.marshalled(serial: 1)
    var messages = MessageStream(atMost: 1 << 20)
    messages.add(bytes)
    guard case .message(let received) = messages.next() else {
      Issue.record("the call cannot be read")
      return 0
    }
    try ssh.write(received.reply([.boolean(true)]).marshalled(serial: 1), to: "reply")
    return bytes.count
  }

  private func call(
    _ relay: SSHRelay, _ destination: String = "build", number: UInt64? = nil,
    answerTime: Duration = .seconds(240)
  ) async -> SSHRelay.Answer {
    await relay.call(
      destination, number: number ?? relay.newNumber(), answerTime: answerTime
    ) { Self.message($0) }
  }

  @Test("the call is written after the greeting, and the reply is the answer") func answered()
    async throws
  {
    let ssh = try ScriptedSSH(
      """
      printf '%s\\n' "$@" >arguments
      echo 'Welcome to build'; \(Self.ready)
      head -c "$(cat size)" >call
      cat reply
      """)
    let size = try Self.prepare(ssh)
    try ssh.write(Array("\(size)".utf8), to: "size")
    #expect(await call(ssh.relay()) == .reply(.success([.boolean(true)])))
    #expect(ssh.read("call") == Self.message().marshalled(serial: 1))
    // The URL is not in a command line, and ssh does not ask.
    let arguments = ssh.lines(of: "arguments")
    #expect(arguments.suffix(2).first == "build" && arguments.contains("BatchMode=yes"))
    #expect(!arguments.contains { $0.contains("photos") })
  }

  @Test(
    "what fails before the greeting has sent nothing, and the reason is that of ssh",
    arguments: [
      (
        "echo 'ssh: connect to host build: No route to host' >&2; exit 255",
        .noConnection("ssh: connect to host build: No route to host")
      ),
      ("exit 255", .noConnection("ssh ended without a message")),
      (
        "echo 'sh: 1: exec: lsopen: not found' >&2; exit 127",
        .noCommand
      ),
      ("echo 'launch-services-relay 1 refused: no daemon runs'; cat", .noDaemon("no daemon runs")),
      ("kill -9 $$", .noConnection("ssh ended without a message")),
      (
        "exec yes", .noProtocol("wrote more than 64 KiB or 1024 lines that are no answer of lsopen")
      ),
      (
        "exec yes ''",
        .noProtocol("wrote more than 64 KiB or 1024 lines that are no answer of lsopen")
      ),
      (
        "exec yes >&2",
        .noProtocol("wrote more than 256 KiB of messages that are no answer of lsopen")
      ),
    ] as [(String, UnsentReason)])
  func notSent(_ script: String, _ why: UnsentReason) async throws {
    let ssh = try ScriptedSSH(script)
    #expect(await call(ssh.relay()) == .notSent(why))
    // The program is there until the end.
    #expect(FileManager.default.fileExists(atPath: ssh.folder))
  }

  @Test("a machine without ssh is told which package is missing") func noProgram() async throws {
    let ssh = try ScriptedSSH("")
    try FileManager.default.removeItem(atPath: ssh.folder + "/bin/ssh")
    guard FileManager.default.fileExists(atPath: "/usr/bin/ssh") == false else { return }
    #expect(
      await call(ssh.relay())
        == .notSent(.noClient("ssh is not installed; install the package openssh-client")))
  }

  @Test("after a cut the same call is made again, as a repetition") func cut() async throws {
    let ssh = try ScriptedSSH(
      """
      \(Self.ready)
      if [ -e was-cut ]; then head -c 1 >/dev/null; cat reply; exit; fi
      head -c 1 >was-cut
      kill -9 $$
      """)
    _ = try Self.prepare(ssh)
    #expect(await call(ssh.relay()) == .reply(.success([.boolean(true)])))
    #expect(ssh.read("was-cut") == Array(Self.message().marshalled(serial: 1).prefix(1)))
    try await ssh.logs("the connection to another machine was cut during an open")
  }

  @Test("an answer that is no message is not taken for one, and the call may have arrived")
  func unusable() async throws {
    let ssh = try ScriptedSSH(
      "\(Self.ready)\nhead -c 9 >/dev/null\necho 'this is no message of D-Bus'\ncat")
    let relay = ssh.relay()
    let number = relay.newNumber()
    async let answer = call(relay, number: number)
    try await ssh.logs("was cut during an open")
    #expect(relay.cancel(number))
    #expect(await answer == .cancelled)
  }

  @Test("a call that is larger than a pipe arrives whole") func large() async throws {
    let ssh = try ScriptedSSH(
      """
      \(Self.ready)
      head -c "$(cat size)" | sha256sum >sum
      cat reply
      """)
    _ = try Self.prepare(ssh)
    let message = {
      Contract.openURL("photos:" + String(repeating: "x", count: 1_000_000), OpenOptions())
    }
    let bytes = message().marshalled(serial: 1)
    try ssh.write(Array("\(bytes.count)".utf8), to: "size")
    let relay = ssh.relay()
    let answer = await relay.call("build", number: relay.newNumber()) { _ in message() }
    #expect(answer == .reply(.success([.boolean(true)])))
    try ssh.write(bytes, to: "expected")
    let sum = Process()
    sum.executableURL = URL(filePath: "/usr/bin/sha256sum")
    let pipe = Pipe()
    (sum.standardInput, sum.standardOutput) = (
      FileHandle(forReadingAtPath: ssh.folder + "/expected"), pipe
    )
    try sum.run()
    let expected = try #require(try pipe.fileHandleForReading.readToEnd())
    #expect(ssh.read("sum") == Array(expected))
  }

  // MARK: Giving up

  @Test("a call that is cancelled in the pause between two attempts may have arrived")
  func cancelledInPause() async throws {
    let ssh = try ScriptedSSH("echo run >>runs\n\(Self.ready)\nhead -c 1 >/dev/null\nkill -9 $$")
    let relay = ssh.relay()
    let number = relay.newNumber()
    async let answer = call(relay, number: number)
    // The line is written when the pause begins, and this code runs when the relay waits.
    try await ssh.logs("was cut during an open")
    #expect(relay.cancel(number))
    #expect(await answer == .cancelled)
    #expect(ssh.lines(of: "runs") == ["run"])
  }

  @Test("a call that is cancelled before the greeting was not sent, and ssh ends")
  func cancelledEarly()
    async throws
  {
    let ssh = try ScriptedSSH("echo $$ >started\nexec sleep 1000")
    let started = try ssh.pipe("started")
    let relay = ssh.relay()
    let number = relay.newNumber()
    async let answer = call(relay, number: number)
    let pid = try #require(pid_t(try await started.line()))
    #expect(!relay.cancel(number))
    #expect(await answer == .cancelled)
    try await waitUntilEnded(pid)
  }

  @Test("the end of the daemon ends all connections") func stop() async throws {
    let ssh = try ScriptedSSH("echo $$ >started\n\(Self.ready)\nexec sleep 1000")
    let started = try ssh.pipe("started")
    let relay = ssh.relay()
    async let one = call(relay)
    async let two = call(relay, "other")
    let pids = [try await started.line(), try await started.line()].compactMap { pid_t($0) }
    relay.stop()
    #expect(await one == .cancelled)
    #expect(await two == .cancelled)
    for pid in pids { try await waitUntilEnded(pid) }
  }

  /// Waits for the end of a child of this process, which the relay reaps.
  private func waitUntilEnded(_ pid: pid_t) async throws {
    while kill(pid, 0) == 0 { await Task.yield() }
  }

  // MARK: Silence

  /// A machine that takes a call and does not answer.
  private static let silent =
    "echo $$ >started\n\(ready)\nhead -c 1 >/dev/null\nexec sleep 1000"

  @Test("a machine that takes the call and does not answer in time ends the wait, once")
  func silence()
    async throws
  {
    let ssh = try ScriptedSSH("echo run >>runs\n" + Self.silent)
    let started = try ssh.pipe("started")
    let relay = ssh.relay()
    async let answer = call(relay, answerTime: .milliseconds(100))
    let pid = try #require(pid_t(try await started.line()))
    #expect(
      await answer
        == .unknown("lsopen there took the call, and did not answer within 0 s"))
    try await waitUntilEnded(pid)
    #expect(ssh.lines(of: "runs") == ["run"])
  }

  @Test("calls that wait for a place are told that a machine does not answer") func busy()
    async throws
  {
    let ssh = try ScriptedSSH(Self.silent)
    let started = try ssh.pipe("started")
    let relay = ssh.relay(places: ConnectionPlaces(patience: .milliseconds(100)))
    let calls = (0..<4).map { _ in Task { await call(relay) } }
    for _ in 0..<4 { _ = try await started.line() }
    #expect(await call(relay) == .notSent(.busy(connections: 4, seconds: 0)))
    relay.stop()
    for call in calls { #expect(await call.value == .cancelled) }
  }

  // MARK: The limit

  @Test("a machine has 4 connections at once; further calls wait in order, those to others do not")
  func mostConnections() async throws {
    let ssh = try ScriptedSSH(
      """
      for word; do destination=$last; last=$word; done
      echo "$destination" >started
      \(Self.ready)
      head -c 1 >/dev/null
      read -r line <"gate-$destination"
      cat reply
      """)
    _ = try Self.prepare(ssh)
    let started = try ssh.pipe("started")
    let (gate, otherGate) = (try ssh.pipe("gate-build"), try ssh.pipe("gate-other"))
    let relay = ssh.relay()
    let calls = (0..<6).map { _ in Task { await call(relay) } }
    for _ in 0..<4 { #expect(try await started.line() == "build") }
    // Another machine has places of its own: its program starts, and no fifth one of the first machine.
    let other = Task { await call(relay, "other") }
    #expect(try await started.line() == "other")
    // One that gives up while it waits has sent nothing, and takes no place.
    let number = relay.newNumber()
    let waiting = Task { await call(relay, number: number) }
    try otherGate.lets()
    #expect(await other.value == .reply(.success([.boolean(true)])))
    #expect(!relay.cancel(number))
    for _ in 0..<2 {
      try gate.lets()
      #expect(try await started.line() == "build")
    }
    try gate.lets(4)
    for call in calls { #expect(await call.value == .reply(.success([.boolean(true)]))) }
    #expect(await waiting.value == .cancelled)
    // All places are free again.
    let last = Task { await call(relay) }
    #expect(try await started.line() == "build")
    try gate.lets()
    #expect(await last.value == .reply(.success([.boolean(true)])))
  }
}
