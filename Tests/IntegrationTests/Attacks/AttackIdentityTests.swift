import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Processes that are known as one application, and try to be another or nobody.
@Suite("Attack: being somebody else", .timeLimit(.minutes(30)))
struct AttackIdentityTests {
  static let evil = "com.example.evil"
  static let bank = "com.example.bank"

  /// A world in which the evil one has been started, and the bank is installed.
  private func withEvil(
    _ options: [String] = [], others: [String] = [],
    _ body:
      @MainActor (Testbed, _ evil: ScriptedHandler, _ bank: ScriptedHandler) async throws ->
      Void
  ) async throws {
    try await Testbed.run(options) { world in
      let bank = try await world.install(Self.bank, schemes: ["bank"], queries: ["secret"])
      try await world.install("com.example.secret", schemes: ["secret"])
      for other in others { try await world.install(other, schemes: ["other"]) }
      let evil = try await world.install(Self.evil, schemes: ["evil"])
      _ = try await world.client.open("evil:1")
      if !others.isEmpty { _ = try await world.client.open("other:1") }
      try await body(world, evil, bank)
    }
  }

  @MainActor private func expectRefused(
    _ who: String, _ world: Testbed, _ bank: ScriptedHandler,
    _ attack: @MainActor () async throws -> Void
  ) async throws {
    do {
      try await attack()
      Issue.record("it was admitted as \(Self.bank)")
    } catch let refusal as Refusal {
      #expect(
        refusal == Refusal("NotPermitted", "\(who), so it cannot check in as \(Self.bank)"))
    }
    #expect(try await world.client.open("bank:secret?token=1").outcome == .deliveredCold)
    #expect(bank.pids.count == 1)
    #expect(bank.heard().contains(.opened("bank:secret?token=1")))
  }

  private static let started =
    "the caller is \(evil) (it is, or descends from, a process the daemon started for the"
    + " application)"

  @Test(
    "An application that has become one of several cannot ask again under a name that others could guess"
  )
  func shortNames() async throws {
    try await withEvil(["--launcher", "spawn"], others: ["com.example.other"]) {
      (world, evil, bank) async throws in
      _ = try await evil.open("bank:1", requestID: "abc")
      do {
        let receipt = try await evil.open("bank:1", requestID: "abc", by: .detached)
        Issue.record("the request was accepted: \(receipt)")
      } catch let refusal as Refusal {
        #expect(refusal.name == "org.freedesktop.DBus.Error.InvalidArgs")
      }
      let name = UUID().uuidString
      _ = try await evil.open("bank:2", requestID: name)
      #expect(try await evil.open("bank:2", requestID: name, by: .detached).isRepeated)
      let opened = bank.heard().filter { if case .opened = $0 { true } else { false } }
      #expect(opened == [.opened("bank:1"), .opened("bank:2")])
    }
  }

  @Test(
    "The free bus name of the bank does not make the bank of what descends from another",
    arguments: [Asker.otherConnection, .child, .orphan, .survivor, .nested])
  func ownsName(_ asker: Asker) async throws {
    try await withEvil { (world, evil, bank) async throws in
      try await expectRefused(Self.started, world, bank) {
        try await evil.checkIn(identifier: Self.bank, owning: true, by: asker)
      }
    }
  }

  @Test("Nor of the only application that was started, when it has left all behind")
  func onlyDescendant() async throws {
    try await withEvil(["--launcher", "spawn"]) { (world, evil, bank) async throws in
      try await expectRefused(Self.started, world, bank) {
        try await evil.checkIn(identifier: Self.bank, owning: true, by: .detached)
      }
    }
  }

  @Test("Nor of one of several") func oneOfSeveral() async throws {
    try await withEvil(["--launcher", "spawn"], others: ["com.example.other"]) {
      (world, evil, bank) async throws in
      let who = "the caller descends from an application that was started"
      try await expectRefused(who, world, bank) {
        try await evil.checkIn(identifier: Self.bank, owning: true, by: .detached)
      }
    }
  }

  @Test("What descends from one of several does not read or hear what others open")
  func historyOfOthers() async throws {
    try await withEvil(["--launcher", "spawn"], others: ["com.example.other"]) {
      (world, evil, bank) async throws in
      #expect(try await world.client.open("bank:secret?token=1").outcome == .deliveredCold)
      for question in [Question.history, .monitor] {
        let refusal = await #expect(throws: Refusal.self) {
          try await evil.require(question, by: .detached)
        }
        #expect(
          refusal?.text
            == "the caller descends from an application that cannot be determined, and applications may"
            + " not read the opens of other programs (OSStatus error -54)", "\(question)")
      }
    }
  }

  @Test("Nor of what is known by its executable") func executable() async throws {
    try await Testbed.run { world in
      let bank = try await world.install(Self.bank, schemes: ["bank"])
      let evil = try await world.install(
        Self.evil, .launching(.own(Self.bank), .checkIn(.identifier(Self.bank)), .wait))
      try world.start(evil)
      #expect(try await evil.next() == .started)
      let who = "the caller is \(Self.evil) (its executable belongs to the application)"
      #expect(
        try await evil.next()
          == .checkInRefused(
            Refusal("NotPermitted", "\(who), so it cannot check in as \(Self.bank)")))
      #expect(try await world.client.open("bank:1").outcome == .deliveredCold)
      #expect(bank.heard().contains(.opened("bank:1")))
    }
  }

  @Test(
    "Nor of what the desktop has started in a unit of its application",
    .enabled(
      if: Testbed.userManagerProblem == nil,
      "needs a systemd --user: \(Testbed.userManagerProblem ?? "")"))
  func unit() async throws {
    try await Testbed.run(withUserManager: true) { world in
      let bank = try await world.install(Self.bank, schemes: ["bank"])
      try await world.install(Self.evil, schemes: ["evil"])
      let evil = try world.startProcess(
        "/usr/bin/systemd-run",
        [
          "--user", "--scope", "--quiet", "--unit=app-gnome-\(Self.evil)-1.scope",
          "python3", Fixture.path("check-in-as.py"), Self.bank,
        ])
      let line = try await evil.line(containing: "check-in:")
      #expect(
        line.hasSuffix(
          "the caller is \(Self.evil) (it runs in a systemd unit of the application), so it cannot"
            + " check in as \(Self.bank)"), "\(line)")
      #expect(try await world.client.open("bank:1").outcome == .deliveredCold)
      #expect(bank.heard().contains(.opened("bank:1")))
    }
  }

  @Test("Nor of one that speaks org.freedesktop.Application: it is not met by that name")
  func busActivatable() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox()
      let evil = try await world.install(
        Self.evil,
        .launching(.own(BusApplication.identifier), .checkIn(.identifier(Self.evil)), .wait))
      try world.start(evil)
      try await evil.isWaiting()
      let line = try await world.daemon.line(
        containing: "refused the owner of the bus name of an application")
      #expect(
        line.contains(
          "the caller is \(Self.evil) (its executable belongs to the application), so it cannot check"
            + " in as \(BusApplication.identifier)"), "\(line)")
    }
  }

  @Test("Who is nobody is the owner of the name, and stays so") func nobody() async throws {
    try await Testbed.run { world in
      try await world.install(Self.bank, schemes: ["bank"], queries: ["secret"])
      let process = try world.startProcess(
        "python3", [Fixture.path("check-in-as.py"), Self.bank])
      #expect(try await process.line(containing: "check-in:").hasSuffix("admitted"))
    }
  }

  /// The program of an application that leaves a child. The child checks in as the bank when the test says so.
  @MainActor private func installParent(_ world: Testbed) async throws -> (
    go: String, answer: ObservedProcess
  ) {
    let (go, out) = (world.folder + "/go", world.folder + "/out")
    for fifo in [go, out] { #expect(unsafe mkfifo(fifo, 0o600) == 0) }
    let child = "read line < \(go); exec python3 \(Fixture.path("check-in-as.py")) \(Self.bank)"
    try await world.install(Self.bank, schemes: ["bank"])
    try await world.install(Self.evil, schemes: ["evil"]) {
      $0.executable = .file(
        "#!/bin/sh\n(\(child)) > \(out) 2>&1 &\necho parent is $$ >&2\nexec sleep 600\n",
        permissions: 0o755)
    }
    return (go, try world.startProcess("/usr/bin/cat", [out]))
  }

  private static let byTree =
    "the caller is \(evil) (it is, or descends from, a process the daemon started for the application), so it"
    + " cannot check in as \(bank)"

  @Test("What it has left behind is known to the next daemon, when it ended while no daemon ran")
  func endedBetweenDaemons() async throws {
    try await Testbed.run(["--launcher", "spawn"]) { world in
      let (go, answer) = try await installParent(world)
      _ = world.client.opening("evil:1")
      let line = try await world.daemon.line(containing: "parent is ")
      let parent = try #require(line.split(separator: " ").last.flatMap { Int32($0) })
      // The receipt of a named request comes after what the record was told before it.
      await #expect(throws: Refusal.self) { try await world.client.open("no:1", requestID: "1") }
      try await world.killDaemon()
      kill(parent, SIGKILL)
      try await world.startDaemon()
      try Data("go\n".utf8).write(to: URL(filePath: go))
      #expect(try await answer.line(containing: "check-in:").hasSuffix(Self.byTree))
    }
  }

  @Test("What it has left behind is known to the daemon after the next, when it did not come back")
  func stoppedBetweenDaemons() async throws {
    try await Testbed.run(["--launcher", "spawn"]) { world in
      let (go, answer) = try await installParent(world)
      _ = world.client.opening("evil:1")
      let line = try await world.daemon.line(containing: "parent is ")
      let parent = try #require(line.split(separator: " ").last.flatMap { Int32($0) })
      defer { kill(parent, SIGKILL) }
      await #expect(throws: Refusal.self) { try await world.client.open("no:1", requestID: "1") }
      kill(parent, SIGSTOP)
      try await world.killDaemon()
      try world.writeSettings("<key>CheckInGrace</key><integer>1</integer>")
      try await world.startDaemon()
      try await world.daemon.line(containing: "a process did not check in again")
      await #expect(throws: Refusal.self) { try await world.client.open("no:1", requestID: "2") }
      try await world.killDaemon()
      try await world.startDaemon()
      try Data("go\n".utf8).write(to: URL(filePath: go))
      #expect(try await answer.line(containing: "check-in:").hasSuffix(Self.byTree))
    }
  }

  // MARK: What is cut off is not nobody's

  @Test("Below seventy processes it is still the application, and may not act as another")
  func nested() async throws {
    try await withEvil { (world, evil, _) async throws in
      #expect(try await evil.explain("secret:", by: .nested).caller == Self.evil)
      let refusal = await #expect(throws: Refusal.self) {
        try await evil.canOpen("secret:", as: Self.bank, by: .nested)
      }
      #expect(refusal?.text.contains("but the caller is \(Self.evil)") == true)
      for question in [Question.becomeAgent, .approve(Self.evil)] {
        await #expect(throws: Refusal.self) { try await evil.require(question, by: .nested) }
      }
    }
  }
}
