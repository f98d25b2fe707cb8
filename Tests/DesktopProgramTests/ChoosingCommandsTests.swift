import Foundation
import Glibc
import Host
import LaunchRules
import TemporaryFolders
import Testing

@testable import launchservices_desktop

@Suite(
  "A command by which the user chooses an application",
  .enabled(
    if: ["gio", "script"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
    }, "needs the packages libglib2.0-bin and bsdutils"), .timeLimit(.minutes(30)))
struct ChoosingCommandsTests {
  private static let chooser = UserChoiceRule.Chooser.command(
    types: ["text/html"], application: "mine.desktop")

  @Test("counts for what it has written, also when it has ended before the guard looks")
  func ended() async throws {
    let world = try GuardWorld()
    try world.folder.write(
      "[Desktop Entry]\nType=Application\nName=Mine\nExec=true %u\n",
      to: "home/applications/mine.desktop")
    let (sights, sight) = AsyncStream.makeStream(of: Void.self)
    let commands = ChoosingCommands { sight.yield() }
    let (ends, end) = AsyncStream.makeStream(of: ProcessEnd.self)
    // script makes a terminal. gio waits for the FIFO before it writes.
    let script = try ChildProcess(
      Launch(
        executable: "/usr/bin/script",
        arguments: ["-qec", "gio mime text/html mine.desktop", "/dev/null"],
        environment: [
          "HOME": world.folder.path, "PATH": "/usr/bin:/bin",
          "XDG_DATA_HOME": world.folder["home"], "XDG_DATA_DIRS": world.folder["all"],
          "XDG_CONFIG_HOME": world.folder["config"],
        ])
    ) { end.yield($0) }
    // The processes of other tests may be seen, too.
    var command: ProcessLook.Candidate?
    for await _ in sights {
      command = commands.seen.first { $0.chooser == Self.chooser && $0.isRunning }
      if command != nil { break }
    }
    let gio = try #require(command)
    let fifo = unsafe open(world.folder["all/applications/mimeinfo.cache"], O_WRONLY)
    try #require(fifo >= 0)
    close(fifo)
    for await end in ends.prefix(1) { #expect(end == .exited(code: 0)) }
    #expect(!gio.isRunning)
    func witness(_ commands: [ProcessLook.Candidate]) -> ProcessWitness {
      ProcessLook(
        newestOf: [world.folder["config"]], after: 0, ProcessLook(), commands: commands
      ).witness(of: world.list)
    }
    #expect(!witness([]).choosers.contains(Self.chooser))
    let seen = witness(commands.seen).choosers
    #expect(seen.contains(Self.chooser))
    let chosen = world.contents
    world.look(seen)
    try world.check()
    #expect(chosen?.contains("text/html=mine.desktop\n") == true)
    #expect(world.contents == chosen)
    commands.forget([gio])
    #expect(!commands.seen.contains(gio))
    withExtendedLifetime(script) {}
  }
}
