internal import Glibc
internal import Host

/// A process that outlives this one when this one is killed, and then ends the processes of a testbed and removes its
/// folder.
///
/// It reads a pipe whose other end only this process has. At the end of the testbed this process writes a byte; the end of
/// the pipe without that byte means that this process is gone.
@MainActor final class TestbedGuard {
  private let pipe: PipeEnds
  private let ends = Inbox<ProcessEnd>()
  private let process: ChildProcess

  /// - Parameter command: starts a program that calls `TestbedGuardCommand.clear`; the path of the folder is added to the
  ///   arguments.
  init(of folder: String, _ command: TestbedGuardCommand) throws(TestbedFailure) {
    let pipe: PipeEnds
    do throws(Errno) {
      pipe = try PipeEnds()
    } catch {
      throw TestbedFailure("no pipe could be made: \(error)")
    }
    self.pipe = pipe
    defer { close(pipe.reading) }
    // Not the variables of the testbed, by which its processes are found.
    var launch = Launch(
      executable: command.executable, arguments: command.arguments + [folder],
      environment: command.environment, workingDirectory: "/", standardOutput: .nothing,
      standardError: .nothing)
    launch.standardInput = .descriptor(pipe.reading)
    do throws(SpawnError) {
      process = try ChildProcess(launch) { [ends] end in ends.put(end) }
    } catch {
      close(pipe.writing)
      throw TestbedFailure(error.description)
    }
  }

  /// Ends the guard, and waits for its end. The testbed has ended.
  func end() async {
    // A guard that somebody has killed reads nothing; SIGPIPE is ignored.
    unsafe write(pipe.writing, "x", 1)
    close(pipe.writing)
    _ = try? await ends.next("the end of the guard of the testbed")
  }
}

/// How the guard of a testbed is started.
package struct TestbedGuardCommand {
  package var executable: String
  package var arguments: [String]
  package var environment: [String: String]

  package init(executable: String, arguments: [String], environment: [String: String]) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }
}

extension TestbedGuardCommand {
  /// In the program of the guard: waits for the end of the process that has started it. Returns false when the testbed has
  /// ended before.
  package nonisolated static func isNeeded() -> Bool {
    // The guard ends with its parent only.
    for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] { signal(number, SIG_IGN) }
    var byte: UInt8 = 0
    var count = 0
    repeat { count = unsafe read(STDIN_FILENO, &byte, 1) } while count < 0 && errno == EINTR
    return count == 0
  }

  /// In the program of the guard: ends what is left of a testbed, and removes its folder.
  @MainActor package static func clear(_ folder: String) async {
    guard TestbedFolders.isRoot(folder) else { return }
    let leftovers = Leftovers(folder: folder, known: [])
    // A process may start another one before it ends.
    for _ in 0..<10 where !leftovers.processes.isEmpty { try? await leftovers.end() }
    await TestbedFolders.remove(folder)
  }
}
