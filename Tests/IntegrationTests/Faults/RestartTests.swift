import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

@testable import Records

/// The daemon is killed between two steps of an open, another comes, and the opener asks again.
@MainActor @Suite("The daemon is killed", .timeLimit(.minutes(30)))
struct RestartTests {
  nonisolated private static let photos = "com.example.photos"
  /// What an opener is told whose daemon was killed.
  private static let cutOff = "org.freedesktop.DBus.Error.NoReply"

  /// Whether strace(1) is installed and may trace.
  private nonisolated static let canTrace: Bool = {
    guard Desktop.isInstalled("strace") else { return false }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["strace", "-o", "/dev/null", "true"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  private func install(
    in world: Testbed, _ script: HandlerScript = .delegate(),
    comesBack: HandlerScript.Return? = .remembering
  ) async throws -> ScriptedHandler {
    var script = script
    script.comesBack = comesBack
    return try await world.install(Self.photos, schemes: ["photos"], script)
  }

  private func named(_ name: String, in world: Testbed) -> Opening {
    var options = OpenOptions()
    options.requestID = name
    return world.client.opening("photos:\(name)", options)
  }

  private func isCutOff(_ opening: Opening) async -> Bool {
    do throws(Refusal) {
      _ = try await opening.receipt()
      return false
    } catch {
      return error.name == Self.cutOff
    }
  }

  @Test(
    "before it has noted the process of the handler: the open is delivered once, by the same process"
  )
  func beforeNote() async throws {
    try await Testbed.run { world in
      let photos = try await install(
        in: world, .launching(.wait, .checkIn(), .finishLaunching()))
      let record = try Database(
        path: try #require(world.environment["XDG_STATE_HOME"])
          + "/launch-services/requests.sqlite")
      try record.run(
        "CREATE TRIGGER unnoted BEFORE INSERT ON running BEGIN SELECT RAISE(ABORT, 'no'); END")
      let first = named("1", in: world)
      try await photos.isWaiting()
      try await world.killDaemon()
      #expect(await isCutOff(first))
      try record.run("DROP TRIGGER unnoted")
      try await world.startDaemon()
      let second = named("1", in: world)
      try await photos.go()
      let receipt = try await second.receipt()
      #expect(receipt.outcome == .deliveredWarm)
      #expect(photos.pids == [receipt.pid])

      // The next daemon knows it as any other.
      try await world.killDaemon()
      try await world.startDaemon()
      #expect(try await world.client.open("photos:2").pid == receipt.pid)
    }
  }

  @Test(
    "before its child has become the handler: the open is delivered once, by the same process",
    .enabled(if: canTrace, "needs the package strace, and a system that permits ptrace(2)"))
  func beforeExecution() async throws {
    // Under systemd the child is not the daemon's.
    let spawning = ["--launcher", "spawn"]
    try await Testbed.run { world in
      let photos = try await install(in: world)
      try await world.stopDaemon()
      // strace(1) holds each child for a second before it executes its program.
      try await world.startDaemon(
        by: [
          "strace", "-f", "-qq", "-o", "/dev/null", "--trace=execve",
          "--inject=execve:delay_enter=1s",
        ], spawning)
      let daemon = try #require(ProcessTraces.children(of: world.daemon.pid).first)
      let first = named("1", in: world)
      var child: Int32?
      try await waitUntil("the daemon has a child") {
        child = ProcessTraces.children(of: daemon).first
        return child != nil
      }
      kill(daemon, SIGKILL)
      #expect(await isCutOff(first))
      try await world.startDaemon(spawning)
      #expect(try await named("1", in: world).receipt().pid == child)
      #expect(photos.pids == [child])
    }
  }

  @Test("before the handler checks in: the open is delivered once, by the same process")
  func beforeCheckIn() async throws {
    try await Testbed.run { world in
      let photos = try await install(
        in: world, .launching(.wait, .checkIn(), .finishLaunching()))
      let first = named("1", in: world)
      try await photos.isWaiting()
      try await world.killDaemon()
      #expect(await isCutOff(first))
      try await world.startDaemon()
      let second = named("1", in: world)
      try await photos.go()
      let receipt = try await second.receipt()
      #expect(receipt.outcome == .deliveredWarm)
      #expect(photos.pids == [receipt.pid])
      #expect(
        photos.heard() == [
          .started, .checkedIn(.launchOptions()), .finishing, .opened("photos:1"),
        ])
    }
  }

  @Test("while the handler launches: the open is delivered once, by the same process")
  func whileLaunching() async throws {
    try await Testbed.run { world in
      let photos = try await install(
        in: world, .launching(.checkIn(), .wait, .finishLaunching()))
      let first = named("1", in: world)
      try await photos.isWaiting()
      try await world.killDaemon()
      #expect(await isCutOff(first))
      try await world.startDaemon()
      let second = named("1", in: world)
      try await photos.go()
      let receipt = try await second.receipt()
      #expect(photos.pids == [receipt.pid])
      #expect(photos.heard().filter { $0 == .opened("photos:1") }.count == 1)
    }
  }

  @Test(
    "while the URL is delivered: a handler that remembers has it once", arguments: [true, false])
  func whileDelivering(cold: Bool) async throws {
    try await Testbed.run { world in
      let photos = try await install(
        in: world,
        .delegate(deliveries: cold ? [] : [.answer(true)], [.wait, .answer(true)], [.answer(true)]))
      if cold { photos.script.deliveries.removeFirst() }
      if !cold { _ = try await world.client.open("photos:0") }
      let first = named("1", in: world)
      try await photos.next(.opened("photos:1"))
      try await photos.isWaiting()
      try await world.killDaemon()
      #expect(await isCutOff(first))
      try await photos.go()
      try await world.startDaemon()
      try await photos.next(.cameBack)
      let receipt = try await named("1", in: world).receipt()
      #expect(receipt.outcome == .deliveredWarm)
      #expect(photos.pids == [receipt.pid])
      #expect(photos.heard() == [])
      // Everything after it arrives as usual.
      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)
      #expect(photos.heard() == [.opened("photos:2")])
    }
  }

  @Test(
    "while the URL is delivered: an opener that asks again and then gives up is not told that it was cancelled"
  ) func cancelledRepetition() async throws {
    try await Testbed.run { world in
      let photos = try await install(
        in: world, .delegate(deliveries: [.wait, .answer(true)], [.answer(true)]))
      let first = named("1", in: world)
      try await photos.isWaiting()
      try await world.killDaemon()
      #expect(await isCutOff(first))
      try await world.startDaemon()
      // The handler is still busy with the URL, and has not come back.
      var options = OpenOptions()
      options.requestID = "1"
      options.cancellationID = "c"
      let second = world.client.opening("photos:1", options)
      try await waitUntil("the open is under way") {
        try await world.client.cancelOpen("c")
      }
      await #expect {
        _ = try await second.receipt()
      } throws: { error in
        (error as? Refusal)?.name == "org.launchservices.Error.DeliveryUnknown"
      }
      try await photos.go()
    }
  }

  private func unknown(_ why: String) -> Refusal {
    Refusal("DeliveryUnknown", "the daemon ended during the delivery to \(why)")
  }

  @Test("while the URL is delivered: nobody is given it again by a handler that forgets")
  func forgetting() async throws {
    try await Testbed.run { world in
      let photos = try await install(
        in: world, .delegate(deliveries: [.wait, .answer(true)], [.answer(true)]),
        comesBack: .forgetting)
      let first = named("1", in: world)
      try await photos.next(.opened("photos:1"))
      try await photos.isWaiting()
      try await world.killDaemon()
      #expect(await isCutOff(first))
      try await photos.go()
      try await world.startDaemon()
      try await photos.next(.cameBack)
      for _ in 1...2 {
        await #expect(
          throws: unknown(
            "\(Self.photos), whose process has ended or does not remember requests: it is unknown"
              + " whether the"
              + " request arrived, and the request is not sent again (OSStatus error -10810)")
        ) { try await named("1", in: world).receipt() }
      }
      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)
      #expect(photos.heard() == [.opened("photos:2")])
    }
  }

  @Test("while the URL is delivered, and its handler with it: nobody can say what became of it")
  func handlerGone() async throws {
    try await Testbed.run { world in
      let photos = try await install(
        in: world, .delegate(deliveries: [.wait, .answer(true)], [.answer(true)]))
      let first = named("1", in: world)
      try await photos.next(.opened("photos:1"))
      try await photos.isWaiting()
      try await world.killDaemon()
      #expect(await isCutOff(first))
      let pid = try #require(photos.pids.last)
      kill(pid, SIGKILL)
      try await photos.hasLeftTheBus()
      photos.script = .delegate()
      try await world.startDaemon()
      for _ in 1...2 {
        await #expect(
          throws: unknown(
            "\(Self.photos) (process \(pid)), and that process has ended, too: it is unknown"
              + " whether the request"
              + " arrived, and the request is not sent again (OSStatus error -10810)")
        ) { try await named("1", in: world).receipt() }
        let told = try await world.client.call(Contract.history(HistoryOptions())).first
        #expect(told?.asOptionsList?.map { $0["fate"]?.asString } == ["DeliveryUnknown"])
      }
      #expect(photos.pids.count == 1)
      #expect(try await world.client.open("photos:2").outcome == .deliveredCold)
    }
  }

  @Test("after the open: its opener gets the same receipt again, and the handler nothing")
  func afterwards() async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      var receipt = try await named("1", in: world).receipt()
      #expect(!receipt.isRepeated)
      receipt.isRepeated = true
      _ = photos.heard()
      #expect(try await named("1", in: world).receipt() == receipt)
      try await world.killDaemon()
      try await world.startDaemon()
      #expect(try await named("1", in: world).receipt() == receipt)
      try await photos.next(.cameBack)
      #expect(photos.heard() == [])
    }
  }

  @Test("after the open failed: the failure is told again, and nothing is tried again")
  func failedBefore() async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world, .launching(.exit(3)))
      let failure = Refusal(
        "HandlerExited",
        "\(Self.photos) ended while launching: exited with code 3 (OSStatus error -600)")
      await #expect(throws: failure) { try await named("1", in: world).receipt() }
      try await world.killDaemon()
      try await world.startDaemon()
      await #expect(throws: failure) { try await named("1", in: world).receipt() }
      #expect(photos.pids.count == 1)
    }
  }

  @Test("a repetition while the first is under way shares its fate") func join() async throws {
    try await Testbed.run { world in
      let photos = try await install(
        in: world, .delegate(deliveries: [.wait, .answer(true)]))
      let first = named("1", in: world)
      let second = named("1", in: world)
      try await photos.isWaiting()
      try await photos.go()
      let receipt = try await first.receipt()
      #expect(try await second.receipt() == receipt)
      #expect(photos.heard().filter { $0 == .opened("photos:1") }.count == 1)
    }
  }

  @Test(
    "a name that was used for another request is refused, also by the next daemon",
    arguments: [
      { $0.url = "photos:2" }, { $0.url = "photos:1?a=2" }, { $0.url = "photos:1?a=1#x" },
      { $0.application = "com.example.other" }, { $0.newInstance = true },
    ] as [@Sendable (inout Wanted) -> Void])
  func otherRequest(_ change: @Sendable (inout Wanted) -> Void) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.other", schemes: ["photos"])
      let photos = try await install(in: world)
      func open(_ wanted: Wanted) async throws -> LaunchServicesTesting.Receipt {
        try await world.client.open(
          wanted.url, with: wanted.application, newInstance: wanted.newInstance, requestID: "id")
      }
      let first = Wanted()
      var other = first
      change(&other)
      #expect(try await open(first).isRepeated == false)
      let refusal = Refusal(
        "org.freedesktop.DBus.Error.InvalidArgs",
        "option 'request-id': it was used before, for another request")
      await #expect(throws: refusal) { try await open(other) }
      #expect(try await open(first).isRepeated)
      try await world.killDaemon()
      try await world.startDaemon()
      await #expect(throws: refusal) { try await open(other) }
      #expect(try await open(first).isRepeated)
      #expect(photos.pids.count == 1)
    }
  }

  struct Wanted: Sendable {
    var url = "photos:1?a=1"
    var application: String? = RestartTests.photos
    var newInstance = false
  }

  @Test(
    "an identifier is the user's, whoever uses it, but not one that a sandboxed caller could guess")
  func otherCaller() async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      let mail = try await world.install("com.example.mail", schemes: ["mail"]) {
        $0.layout = .macOS
      }
      let game = try await world.install("com.example.game", schemes: ["game"])
      let chance = "7A1F6E0C-9B1D-4C53-8F07-3D5B1C0A9E42"
      for name in ["id", chance] { _ = try await world.client.open("photos:1", requestID: name) }
      for url in ["mail:1", "game:1"] { _ = try await world.client.open(url) }
      #expect(try await mail.open("photos:1", requestID: "id").isRepeated)
      #expect(try await game.open("photos:1", requestID: "id").isRepeated == false)
      #expect(try await game.open("photos:1", requestID: "id").isRepeated)
      #expect(try await game.open("photos:1", requestID: chance).isRepeated)
      #expect(photos.heard().filter { $0 == .opened("photos:1") }.count == 3)
    }
  }

  /// Restarts the daemon while the handler is stopped, so that the second open comes before the handler
  /// checks in again.
  private func openWhileReturning(
    in world: Testbed
  ) async throws -> (photos: ScriptedHandler, pid: Int32, second: Opening) {
    let photos = try await install(in: world)
    let pid = try await world.client.open("photos:1").pid
    try await world.killDaemon()
    kill(pid, SIGSTOP)
    try await world.startDaemon()
    let second = world.client.opening("photos:2")
    #expect(try await world.client.states() == [Self.photos: "returning"])
    return (photos, pid, second)
  }

  @Test("a handler that runs is not launched a second time, and keeps its state")
  func running() async throws {
    try await Testbed.run { world in
      let (photos, pid, second) = try await openWhileReturning(in: world)
      kill(pid, SIGCONT)
      let receipt = try await second.receipt()
      #expect(receipt.outcome == .deliveredWarm)
      #expect(photos.pids == [pid])
      try await photos.next(.cameBack)
      #expect(try await world.client.states() == [Self.photos: "active"])
    }
  }

  @Test("a handler that does not come back is launched anew after CheckInGrace")
  func doesNotComeBack() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>CheckInGrace</key><integer>1</integer>")
      try await world.startDaemon()
      let photos = try await install(in: world, comesBack: nil)
      let first = try await world.client.open("photos:1").pid
      try await world.killDaemon()
      try await world.startDaemon()
      let receipt = try await world.client.open("photos:2")
      #expect(receipt.outcome == .deliveredCold)
      #expect(photos.pids == [first, receipt.pid])
      #expect(
        try await world.daemon.line(containing: "check in again")
          == "launchservicesd: warning: a process did not check in again within 1 s: it keeps"
          + " running without deliveries application=\(Self.photos) pid=\(first)")
    }
  }

  @Test("a handler that ends before it comes back is launched anew at once") func endsInstead()
    async throws
  {
    try await Testbed.run { world in
      let (photos, pid, second) = try await openWhileReturning(in: world)
      kill(pid, SIGKILL)
      #expect(try await second.receipt().outcome == .deliveredCold)
      #expect(photos.pids.count == 2)
    }
  }

  @Test("opens that waited are repeated in their order, and delivered in it") func queue()
    async throws
  {
    try await Testbed.run { world in
      let photos = try await install(
        in: world, .launching(.wait, .checkIn(), .finishLaunching()))
      let before = (1...5).map { named("\($0)", in: world) }
      try await photos.isWaiting()
      try await world.killDaemon()
      for opening in before { #expect(await isCutOff(opening)) }
      try await world.startDaemon()
      let after = (1...5).map { named("\($0)", in: world) }
      try await photos.go()
      for opening in after { _ = try await opening.receipt() }
      #expect(
        photos.heard().filter { if case .opened = $0 { true } else { false } }
          == (1...5).map { .opened("photos:\($0)") })
      #expect(photos.pids.count == 1)
    }
  }

  @Test("lsopen says so, asks the next one, and succeeds") func command() async throws {
    try await Testbed.run { world in
      let photos = try await install(
        in: world, .delegate(deliveries: [.wait, .answer(true)], [.answer(true)]))
      let command = try world.startProcess("lsopen", ["photos:1"])
      try await photos.next(.opened("photos:1"))
      try await photos.isWaiting()
      try await world.killDaemon()
      try await command.line(containing: "launchservicesd ended before it answered")
      try await photos.go()
      try await world.startDaemon()
      #expect(try await command.hasEnded() == "exited with code 0")
      #expect(photos.heard().filter { $0 == .opened("photos:1") }.count == 0)
      #expect(photos.pids.count == 1)
    }
  }

  @Test(
    "an application of the library, or one in Python, comes back by itself",
    arguments: [
      (Example.photoAlbum, "myphotoapp:Vacation?index=1"), (.pythonHandler, "note:hello"),
    ])
  func examples(_ example: Example, _ url: String) async throws {
    try await Testbed.run { world in
      try await example.register(in: world)
      let first = try await world.client.open(url)
      #expect(first.outcome.launch == .cold)
      #expect(world.daemon.lines.filter { $0.contains("AlreadyRunning") } == [])
      try await world.killDaemon()
      try await world.startDaemon()
      let second = try await world.client.open(url)
      #expect(second.outcome.launch == .warm)
      #expect(second.pid == first.pid)
    }
  }
}
