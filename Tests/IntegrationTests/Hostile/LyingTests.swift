import BusContract
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Programs that say that they are somebody else. Each kind of lie is one test, here or where it says.
///
/// | lie | test |
/// |---|---|
/// | wrong bundle identifier at check-in | `wrongIdentifier`, `wrongIdentifierWithToken`, `CheckInTests.impostor` |
/// | replayed token | `replayedToken` |
/// | guessed token | `guessedToken`, `CheckInTests.madeUpToken` |
/// | token of another application | `tokenOfAnother`, `CheckInTests.stolenToken` |
/// | a child of A claims to be B | `childClaimsAnother`, `BorrowedNameTests.refused` |
/// | a process number used again | `reusedNumber`, `borrowedNumber` |
/// | `as` by an identified application | `IdentityTests.asAnother` |
/// | a second connection of the process | `secondConnection`, `IdentityTests.identified` |
/// | a process that execs another program | `execs`, `execsAfterConnecting` |
/// | a process that left its session and outlived its parents | `IdentityTests.oneOfSeveral` |
/// | a sandbox that is none | `FlatpakTests.unknown` |
/// | another user | `StrangerTests.anotherUser` |
@Suite("Lies about who is calling", .timeLimit(.minutes(30)))
struct LyingTests {
  static let liar = "com.example.liar"
  static let bank = "com.example.bank"

  private static let unshown = Refusal(
    "NotPermitted",
    "the caller is \(liar) (it is, or descends from, a process the daemon started for the"
      + " application), so it cannot check in as \(bank)")

  /// A world in which the liar runs and the bank is installed.
  private func withLiar(
    _ body: @MainActor (Testbed, ScriptedHandler) async throws -> Void
  ) async throws {
    try await Testbed.run { world in
      try await world.install(Self.bank, schemes: ["bank"], queries: ["secret"])
      try await world.install("com.example.secret", schemes: ["secret"])
      let liar = try await world.install(Self.liar, schemes: ["liar"])
      _ = try await world.client.open("liar:1")
      try await body(world, liar)
    }
  }

  @Test(
    "Wrong bundle identifier at check-in: nobody is believed, from wherever it is said",
    arguments: [Asker.otherConnection, .child, .orphan, .survivor])
  func wrongIdentifier(_ asker: Asker) async throws {
    try await withLiar { (world, liar) async throws in
      await #expect(throws: Self.unshown) {
        try await liar.checkIn(identifier: Self.bank, by: asker)
      }
      #expect(try await world.client.open("bank:1").outcome == .deliveredCold)
    }
  }

  @Test("Wrong bundle identifier at check-in, beside the liar's own good token")
  func wrongIdentifierWithToken() async throws {
    try await Testbed.run { world in
      try await world.install(Self.bank, schemes: ["bank"])
      let liar = try await world.install(
        Self.liar, schemes: ["liar"], .launching(.report, .wait, .exit(0)))
      let open = world.client.opening("liar:1")
      let token = try await Self.token(of: liar)
      await #expect(
        throws: Refusal(
          "NotPermitted", "the token was given to \(Self.liar), not to \(Self.bank)")
      ) { try await liar.checkIn(token: token, identifier: Self.bank, by: .otherConnection) }
      try await liar.go()
      await #expect(throws: Refusal.self) { try await open.receipt() }
    }
  }

  @Test("Replayed token: it is good once", arguments: [Asker.otherConnection, .child])
  func replayedToken(_ asker: Asker) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.liar, schemes: ["liar"], .launching(.report, .checkIn(), .finishLaunching()))
      let open = world.client.opening("liar:1")
      let token = try await Self.token(of: photos)
      #expect(try await open.receipt().outcome == .deliveredCold)
      await #expect(
        throws: Refusal("NotPermitted", "the token is unknown or was used before")
      ) { try await photos.checkIn(token: token, by: asker) }
    }
  }

  @Test("Replayed token of a process that has ended, in the next process of the application")
  func tokenOfTheDead() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.liar, schemes: ["liar"], .launching(.report, .exit(1)))
      let first = world.client.opening("liar:1")
      let token = try await Self.token(of: photos)
      await #expect(throws: Refusal.self) { try await first.receipt() }
      photos.script = .launching(.checkIn(.madeUp(token)), .exit(1))
      await #expect(throws: Refusal.self) { try await world.client.open("liar:2") }
      #expect(
        photos.heard().last
          == .checkInRefused(
            Refusal("NotPermitted", "the token is unknown or was used before")))
    }
  }

  @Test("Guessed token: a thousand guesses are a thousand refusals")
  func guessedToken() async throws {
    try await withLiar { (world, liar) async throws in
      var generator = SystemRandomNumberGenerator()
      for number in 0..<1000 {
        let guess = number % 2 == 0 ? "\(generator.next() as UInt64)" : ""
        await #expect(
          throws: Refusal("NotPermitted", "the token is unknown or was used before")
        ) { try await world.client.call(Contract.checkIn(CheckInOptions(token: guess))) }
      }
    }
  }

  @Test("Token of another application: it stays good for that one", arguments: [true, false])
  func tokenOfAnother(saysSo: Bool) async throws {
    try await withLiar { (world, liar) async throws in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"],
        .launching(.report, .wait, .checkIn(), .finishLaunching()))
      let open = world.client.opening("photos:1")
      let token = try await Self.token(of: photos)
      await #expect(throws: Refusal("NotPermitted", "the token was given to another process")) {
        try await liar.checkIn(
          token: token, identifier: saysSo ? "com.example.photos" : nil, by: .otherConnection)
      }
      try await photos.go()
      #expect(try await open.receipt().outcome == .deliveredCold)
    }
  }

  @Test("A child of A claims to be B: it is A, and asks as A", arguments: [Asker.child, .orphan])
  func childClaimsAnother(_ asker: Asker) async throws {
    try await withLiar { (world, liar) async throws in
      await #expect(throws: Self.unshown) {
        try await liar.checkIn(identifier: Self.bank, by: asker)
      }
      #expect(try await liar.explain("secret:", by: asker).caller == Self.liar)
      #expect(try await liar.canOpen("secret:", by: asker) == false)
    }
  }

  @Test("A second connection of the process is the same application, and cannot be another")
  func secondConnection() async throws {
    try await withLiar { (world, liar) async throws in
      await #expect(throws: Self.unshown) {
        try await liar.checkIn(identifier: Self.bank, by: .otherConnection)
      }
      let pid = try #require(liar.pids.first)
      await #expect(
        throws: Refusal("AlreadyRunning", "\(Self.liar) runs already, as process \(pid)")
      ) { try await liar.checkIn(identifier: Self.liar, by: .otherConnection) }
      #expect(try await liar.explain("secret:", by: .otherConnection).caller == Self.liar)
    }
  }

  @Test("A process that execs another program is still what it was started as") func execs()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.secret", schemes: ["secret"])
      let bank = try await world.install(
        Self.bank, schemes: ["bank"], queries: ["secret"], .launching(.wait, .exit(1)))
      try await world.install(
        Self.liar, schemes: ["liar"],
        .launching(.become(bank.path + "/program", identifier: Self.bank)))
      let open = world.client.opening("liar:1")
      try await bank.next(.started)
      for asker in [Asker.itself, .otherConnection, .child, .orphan] {
        let caller = try await bank.explain("secret:", by: asker).caller
        #expect(caller == Self.liar, "\(asker)")
      }
      #expect(try await bank.canOpen("secret:", by: .otherConnection) == false)
      try await bank.go()
      await #expect(throws: Refusal.self) { try await open.receipt() }
    }
  }

  @Test("A process that execs another program and shows its token is what it was started as")
  func execsWithToken() async throws {
    try await Testbed.run { world in
      let bank = try await world.install(
        Self.bank, schemes: ["bank"], .launching(.checkIn(.token), .exit(1)))
      try await world.install(
        Self.liar, schemes: ["liar"],
        .launching(.become(bank.path + "/program", identifier: Self.bank)))
      await #expect(
        throws: Refusal(
          "HandlerExited",
          "\(Self.liar) ended while launching: exited with code 1 (OSStatus error -600)")
      ) { try await world.client.open("liar:1") }
      #expect(bank.heard() == [.started, .checkedIn(.launchOptions(OpenedURL("liar:1")))])
    }
  }

  @Test(
    "A process number used again is not believed",
    .enabled(
      if: FileManager.default.isWritableFile(atPath: "/proc/sys/kernel/ns_last_pid")
        && getuid() == 0,
      "only root can choose the number of a process"))
  func reusedNumber() async throws {
    try await withLiar { (world, liar) async throws in
      let pid = try #require(liar.pids.first)
      #expect(try await liar.explain("secret:", by: .otherConnection).caller == Self.liar)
      let end = world.client.end(of: pid)
      _ = try await world.client.call(Contract.ping())
      kill(pid, SIGKILL)
      _ = try await end.how()
      let impostor = try world.startProcess(
        "python3",
        [
          Fixture.path("reused-number.py"), "\(pid)", Fixture.program("lsopen"), "--explain",
          "liar:1",
        ])
      _ = try await impostor.hasEnded()
      let caller = try #require(impostor.lines.first { $0.contains("caller") })
      #expect(!caller.contains(Self.liar), "\(impostor.lines)")
    }
  }

  @Test(
    "A connection is not the process that got the number of the one that made it",
    .enabled(
      if: FileManager.default.isWritableFile(atPath: "/proc/sys/kernel/ns_last_pid")
        && getuid() == 0,
      "only root can choose the number of a process"))
  func borrowedNumber() async throws {
    try await Testbed.run { world in
      let program = try await Self.installBank(in: world)
      let liar = try world.startProcess(
        "python3", [Fixture.path("borrowed-number.py"), program])
      #expect(try await liar.hasEnded() == "exited with code 0", "\(liar.lines)")
      #expect(liar.lines == ["org.freedesktop.DBus.Error.AccessDenied"])
    }
  }

  @Test("A direct connection is the program that made it, not the one that its process runs now")
  func execsAfterConnecting() async throws {
    try await Testbed.run { world in
      let program = try await Self.installBank(in: world)
      let liar = try world.startProcess(
        "python3",
        [
          Fixture.path("exec-after-connect.py"), try await DirectTests.socket(of: world), program,
        ])
      let line = try await liar.line(containing: "caller:")
      #expect(line.contains("not a registered application"), "\(line)")
      _ = try await liar.hasEnded()
    }
  }

  /// A program that only sleeps, known by its executable.
  @MainActor private static func installBank(in world: Testbed) async throws -> String {
    let program = world.folder + "/bank"
    try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: program)
    try """
    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(bank)</string>
    <key>ProgramArguments</key><array><string>\(program)</string></array></dict></plist>
    """.write(toFile: program + ".plist", atomically: true, encoding: .utf8)
    try await world.client.register(program + ".plist")
    return program
  }

  private static func token(of handler: ScriptedHandler) async throws -> String {
    while true {
      if case .facts(let facts) = try await handler.next() {
        return try #require(facts.environment[Contract.tokenVariable])
      }
    }
  }
}
