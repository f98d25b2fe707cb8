import BusContract
import DBus
internal import DBusMainLoop
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Process numbers, descriptors and connections of which there are few, or which end.
@MainActor @Suite("Attack: resources of the machine", .timeLimit(.minutes(30)))
struct AttackResourcesTests {
  /// Runs a script of the fixtures that has a daemon of its own.
  /// - Parameter command: the program that executes the script, with its arguments.
  private func run(_ script: String, by command: [String], in world: Testbed) async throws
    -> ObservedProcess
  {
    let folder = world.folder + "/script"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let words =
      command + [
        "/usr/bin/python3", Fixture.path(script), Example.products, folder, Example.folder,
      ]
    return try world.startProcess(words[0], Array(words.dropFirst()))
  }

  // MARK: Process numbers

  private nonisolated static let hasOwnNumbers: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/unshare")
    process.arguments = [
      "--pid", "--fork", "--mount-proc", "/bin/sh", "-c",
      // The same in this namespace and in all others before Linux 6.14.
      "echo $(($(cat /proc/sys/kernel/pid_max) - 1)) >/proc/sys/kernel/pid_max",
    ]
    process.standardError = FileHandle.nullDevice
    guard FileManager.default.fileExists(atPath: "/proc/sys/kernel/pid_max"),
      kernelVersion() >= (6, 14), (try? process.run()) != nil
    else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  private nonisolated static func kernelVersion() -> (Int, Int) {
    let text = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
    let numbers = text.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 ? (numbers[0], numbers[1]) : (0, 0)
  }

  @Test(
    "Process numbers that are used again and again: nobody is taken for another program",
    .enabled(
      if: hasOwnNumbers,
      "needs the right to make a process namespace, and Linux 6.14, where each has a pid_max of its own"
    ))
  func fewNumbers() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let script = try await run(
        "few-process-numbers.py",
        by: ["/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child"], in: world)
      #expect(try await script.hasEnded() == "exited with code 0", "\(script.lines)")
    }
  }

  // MARK: Descriptors

  @Test("1,024 descriptors, and callers that send twice as many: known callers are served")
  func descriptors() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.client.open("photos:0")
      let limit = try world.startProcess(
        "prlimit", ["--pid", "\(world.daemon.pid)", "--nofile=1024:1024"])
      #expect(try await limit.hasEnded() == "exited with code 0")
      let before = try world.daemonDescriptors()
      var attacks: [ObservedProcess] = []
      for _ in 0..<7 { attacks.append(try await DirectTests.attack("many", world)) }
      for attack in attacks { try await attack.line(containing: "taken:") }
      let flooding = try await world.newClient()
      for _ in 0..<128 { flooding.session.send(DescriptorFloodTests.call()) }
      for number in 1...20 {
        #expect(try await world.client.open("photos:\(number)").outcome == .deliveredWarm)
        #expect(try world.daemonDescriptors().total <= 1024)
      }
      let other = try world.startProcess("lsopen", ["photos:other"])
      #expect(try await other.hasEnded() == "exited with code 0", "\(other.lines)")
      #expect(photos.pids.count == 1)
      for attack in attacks { attack.signal(SIGKILL) }
      try await world.disconnect(flooding)
      try await world.daemonDescriptors(comeBackTo: before)
    }
  }

  // MARK: Connections

  private nonisolated static let mayTrace: Bool = {
    // The setting of Yama; 0 is every process of the user.
    let scope = try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)
    return getuid() == 0 || scope.map { $0.hasPrefix("0") } ?? true
  }()

  @Test(
    "The connection of an opener is closed: it asks again, and the URL arrives once",
    .enabled(if: mayTrace, "needs the right to trace processes"), arguments: [true, false])
  func openerLosesConnection(isDirect: Bool) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings(
        "<key>DirectConnections</key><\(isDirect)/>")
      try await world.startDaemon()
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"],
        .delegate(deliveries: [.wait, .answer(true)], [.answer(true)]))
      let opener = try world.startProcess("lsopen", ["photos:1"])
      try await photos.next(.opened("photos:1"))
      try await photos.isWaiting()
      let closing = try world.startProcess(
        "python3", [Fixture.path("closed-connections.py"), "\(opener.pid)"])
      #expect(try await closing.hasEnded() == "exited with code 0", "\(closing.lines)")
      #expect(closing.lines == ["1"])
      try await opener.line(containing: "waiting at most")
      try await photos.go()
      #expect(try await opener.hasEnded() == "exited with code 0", "\(opener.lines)")
      #expect(photos.heard().count { $0 == .opened("photos:1") } == 0)
      #expect(photos.pids.count == 1)
      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)
    }
  }

  @Test(
    "The connection of an application is closed: its next URL is delivered once",
    .enabled(if: mayTrace, "needs the right to trace processes"),
    arguments: [(Example.photoAlbum, "myphotoapp:Vacation?index="), (.pythonHandler, "note:")])
  func handlerLosesConnection(_ example: Example, _ url: String) async throws {
    try await Testbed.run { world in
      try await example.register(in: world)
      let pid = try await world.client.open("\(url)1").pid
      let closing = try world.startProcess(
        "python3", [Fixture.path("closed-connections.py"), "\(pid)"])
      #expect(try await closing.hasEnded() == "exited with code 0", "\(closing.lines)")
      #expect(try await world.client.open("\(url)2").outcome.delivery == .delivered)
    }
  }
}
