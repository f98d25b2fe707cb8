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
    let commands = ChoosingCommands {}
    let (ends, end) = AsyncStream.makeStream(of: ProcessEnd.self)
    var exits = ends.makeAsyncIterator()
    let script = try start(in: world) { end.yield($0) }
    var command: ProcessLook.Candidate?
    // Beside very many new processes of other tests, a look misses the command at times. Each opening of the file is followed
    // by looks.
    for _ in 0..<3000 where command == nil {
      try await Task.sleep(for: .milliseconds(20))
      command = commands.seen.first { $0.chooser == Self.chooser && $0.isRunning }
      if command == nil { close(unsafe open("/usr/bin/gio", O_RDONLY)) }
    }
    let gio = try #require(command)
    try goOn(world)
    #expect(await exits.next() == .exited(code: 0))
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

  /// script makes a terminal. gio waits for the FIFO before it writes.
  private func start(
    in world: GuardWorld, _ ended: @escaping @Sendable (ProcessEnd) -> Void
  ) throws -> ChildProcess {
    try ChildProcess(
      Launch(
        executable: "/usr/bin/script",
        arguments: ["-qec", "gio mime text/html mine.desktop", "/dev/null"],
        environment: [
          "HOME": world.folder.path, "PATH": "/usr/bin:/bin",
          "XDG_DATA_HOME": world.folder["home"], "XDG_DATA_DIRS": world.folder["all"],
          "XDG_CONFIG_HOME": world.folder["config"],
        ]), onExit: ended)
  }

  /// Lets the program that waits for the FIFO go on.
  private func goOn(_ world: GuardWorld) throws {
    let fifo = unsafe open(world.folder["all/applications/mimeinfo.cache"], O_WRONLY)
    try #require(fifo >= 0)
    close(fifo)
  }
}
