import BusContract
import DBus
internal import DBusMainLoop
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

@testable import Records

/// What made callers wait, or fail, that had nothing to do with it.
@MainActor @Suite("Attack: others wait", .timeLimit(.minutes(30)))
struct AttackOthersWaitTests {
  private static let text = String(repeating: "x", count: 52_000)

  @Test("Many processes of one parent, each with one long URL, leave room for other callers")
  func bytes() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>MaximumPendingBytes</key><integer>1000000</integer>")
      try await world.startDaemon()
      var hung: [ScriptedHandler] = []
      for name in ["one", "two", "three"] {
        hung.append(
          try await world.install(
            "com.example.\(name)", schemes: [name],
            .launching(.wait, .checkIn(), .finishLaunching())))
      }
      try await world.install("com.example.photos", schemes: ["photos"])
      let mail = try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("mail:1")
      var openers: [ObservedProcess] = []
      for number in 0..<12 {
        openers.append(
          try world.startProcess(
            "lsopen", ["\(["one", "two", "three"][number % 3]):\(number)?\(Self.text)"]))
        // The first URL of each application is accepted, so each is launched.
        if number < 3 { try await hung[number].isWaiting() }
      }
      // Three quarters of the bytes, less a part for each common ancestor, may wait for one parent's, 105 kB each.
      @MainActor func refused() -> Int {
        openers.count {
          $0.lines.contains { $0.contains("one application, unit or parent process") }
        }
      }
      try await waitUntil("the refusal of some opens") { refused() >= 5 }
      #expect(try await mail.open("photos:?\(Self.text)").outcome.delivery == .delivered)
      // Also the same parent's, when they are short.
      #expect(try await world.client.open("photos:2").outcome.delivery == .delivered)
      for handler in hung { try await handler.go() }
      for opener in openers { _ = try await opener.hasEnded() }
      #expect((5...8).contains(refused()))
    }
  }

  /// Starts a process for each open, each in a session of its own, with opens of all sizes, until some are refused.
  private static let attack = """
    import os, signal, subprocess, sys
    sizes = [52000] * 40 + [5000] * 40 + [100] * 40
    names = ["one", "two", "three", "four"]
    each = [subprocess.Popen(["setsid", "-w", sys.argv[1], f"{names[n % 4]}:{n}?" + "x" * size],
      stderr=subprocess.PIPE) for n, size in enumerate(sizes)]
    by_pid = {one.pid: one for one in each}
    refused = 0
    while refused < 30:
      refused += b"limit" in by_pid[os.wait()[0]].stderr.read()
    print("refused some", flush=True)
    if sys.argv[2] == "stays": signal.pause()
    """

  private static func prepare(_ world: Testbed) async throws {
    try world.writeSettings("<key>MaximumPendingBytes</key><integer>2000000</integer>")
    try await world.startDaemon()
    for name in ["one", "two", "three", "four"] {
      try await world.install(
        "com.example.\(name)", schemes: [name], .launching(.wait, .checkIn(), .finishLaunching()))
    }
    try await world.install("com.example.photos", schemes: ["photos"])
  }

  @Test("One process and its descendants refuse no program that was started beside it")
  func sibling() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await Self.prepare(world)
      // The attacker ends, so that those of its processes which have not asked yet have no parent.
      let attacker = try world.startProcess(
        "/usr/bin/python3", ["-c", Self.attack, try Programs.find("lsopen"), "ends"])
      try await attacker.line(containing: "refused some")
      _ = try await attacker.hasEnded()
      // Each is a program with nothing under way, and the same parent as the attacker.
      for number in 0..<3 {
        let victim = try world.startProcess("lsopen", ["photos:\(number)"])
        #expect(try await victim.hasEnded() == "exited with code 0", "\(victim.lines)")
      }
    }
  }

  @Test(
    "Nor do they in the unit of a terminal",
    .enabled(
      if: Testbed.userManagerProblem == nil,
      "needs a systemd --user: \(Testbed.userManagerProblem ?? "")"))
  func siblingInUnit() async throws {
    try await Testbed.run(startsDaemon: false, withUserManager: true) { world in
      try await Self.prepare(world)
      let shell = """
        import subprocess, sys
        attacker = subprocess.Popen(
          ["python3", "-c", sys.argv[2], sys.argv[1], "stays"], stdout=subprocess.PIPE)
        attacker.stdout.readline()
        codes = [subprocess.run([sys.argv[1], f"photos:{n}"]).returncode for n in range(3)]
        print("ended with", codes, flush=True)
        attacker.kill()
        """
      let terminal = try world.startProcess(
        "/usr/bin/systemd-run",
        [
          "--user", "--scope", "--quiet", "--unit=terminal-1.scope", "python3", "-c", shell,
          try Programs.find("lsopen"), Self.attack,
        ])
      try await terminal.line(containing: "ended with")
      #expect(terminal.lines.contains("ended with [0, 0, 0]"), "\(terminal.lines)")
      _ = try await terminal.hasEnded()
    }
  }

  @Test("A record that another process has locked delays no open that has no request-id")
  func lockedRecord() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.client.open("photos:1")
      let path = try #require(world.environment["XDG_STATE_HOME"])
      let other = try Database(path: path + "/launch-services/requests.sqlite")
      // An open with a request-id, sent before, waits for the record for a second. A test that has to wait for a processor
      // as long tries again.
      var isBefore = false
      for attempt in 1...20 where !isBefore {
        try other.run("BEGIN IMMEDIATE")
        var options = OpenOptions()
        options.requestID = "attempt-\(attempt)"
        let recorded = world.client.opening("photos:recorded", options)
        #expect(try await world.client.open("photos:\(attempt)").outcome == .deliveredWarm)
        isBefore = !recorded.isAnswered
        try other.run("ROLLBACK")
        _ = try await recorded.receipt()
      }
      #expect(isBefore)
      try other.run("BEGIN IMMEDIATE")
      for number in 3...4 {
        #expect(try await world.client.open("photos:\(number)").outcome == .deliveredWarm)
      }
      let direct = try await world.newDirectClient()
      #expect(try await direct.open("photos:5").outcome == .deliveredWarm)
      try other.run("ROLLBACK")
      #expect(photos.heard().last == .opened("photos:5"))
    }
  }

  private static func approvals(_ count: Int) throws -> [Approval] {
    try (0..<count).map { number in
      try Approval([
        Key.opener: .string("com.example.opener\(number)"), Key.scheme: .string("photos"),
        Key.handler: .string("com.example.calls"), Key.allowed: .boolean(true),
      ])
    }
  }

  @Test("One call changes at most a thousand remembered answers, and questions come between")
  func approvals() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let tooMany = try Self.approvals(1001)
      await #expect(throws: Refusal.self) {
        try await world.client.call(Contract.setApprovals(tooMany))
      }
      let all = try Self.approvals(1000)
      let other = try await world.newDirectClient()
      // A test that has to wait for a processor may ask too late, so it tries again.
      var (answered, isBetween) = (0, false)
      for attempt in 1...20 where !isBetween {
        for _ in 0..<10 {
          world.client.session.call(Contract.setApprovals(all), deadline: nil) { answer in
            #expect(throws: Never.self) { try answer.get() }
            answered += 1
          }
        }
        try await other.ping()
        isBetween = answered < 10 * attempt
        _ = try await world.client.call(Contract.approvals())
        #expect(answered == 10 * attempt)
      }
      #expect(isBetween)
      let listed = try await world.client.call(Contract.approvals())
      #expect(listed.first?.asOptionsList?.count == 1000)
      try await world.restartDaemon()
      #expect(
        try await world.client.call(Contract.approvals()).first?.asOptionsList?.count == 1000)
    }
  }

  @Test("The bus name is owned before the property lists are read, and calls wait for them")
  func nameBeforeReading() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await ReadingProgressTests.putMany(into: world)
      try await world.startDaemon(untilRead: false)
      // As soon as the name is owned.
      world.daemon.signal(SIGSTOP)
      #expect(!world.daemon.lines.contains { $0.contains("ready") })
      var order: [String] = []
      for name in ["many0", "nobody", "many2999"] {
        world.client.session.call(
          Contract.handlers(name), deadline: nil
        ) { answer in
          order.append("\(name) \((try? answer.get())?.first?.asStrings?.count ?? -1)")
        }
      }
      let command = try world.startProcess("lsopen", ["--can-open", "many1:x"])
      world.daemon.signal(SIGCONT)
      try await waitUntil("the answers") { order.count == 3 }
      #expect(order == ["many0 1", "nobody 0", "many2999 1"])
      #expect(try await command.hasEnded() == "exited with code 1")
      try await world.daemon.line(containing: "ready")
    }
  }

  @Test("A daemon that is asked to end while it reads answers those who wait")
  func endsWhileReading() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await ReadingProgressTests.putMany(into: world)
      try await world.startDaemon(untilRead: false)
      world.daemon.signal(SIGSTOP)
      let opening = world.client.opening("many0:x")
      // The bus has forwarded it when it answers this.
      _ = try await world.client.call(MessageBus.hasOwner("org.freedesktop.DBus"))
      world.daemon.signal(SIGTERM)
      world.daemon.signal(SIGCONT)
      let refusal = await #expect(throws: Refusal.self) { try await opening.receipt() }
      #expect(
        ["ShuttingDown", "LaunchFailed", "NoExecutable"].contains {
          refusal?.name.hasSuffix($0) == true
        }, "\(String(describing: refusal))")
      #expect(try await world.daemon.hasEnded() == "exited with code 0")
    }
  }
}
