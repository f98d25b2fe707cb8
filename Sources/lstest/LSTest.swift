internal import Commands
internal import Events
internal import Glibc
internal import Host

/// `lstest`: tests deep links with a daemon of its own.
@main
enum LSTest {
  private static var signals: StopSignals?
  private static var reader: OutputReader?

  static func main() {
    if let folder = WorldGuard.folder { WorldGuard.main(folder) }
    OpenerEnvironment.clear()
    let output = Output.ofProcess(command: "lstest")
    do throws(Errno) {
      signals = try StopSignals { signal in Interruption.shared.handle(signal.number) }
      reader = try OutputReader { Interruption.shared.handle(SIGPIPE) }
    } catch {
      output.complain("stop signals cannot be caught: \(error)")
      exit(TestStatus.unable.rawValue)
    }
    Task {
      let command = TestCommand(output: output, folder: FilePath.currentFolder())
      exit(await command.run())
    }
    MainLoop.run()
  }
}

/// The exit status of `lstest`.
enum TestStatus: Int32 {
  case passed = 0
  /// A step had another result than expected.
  case failed = 1
  /// The tests could not be run.
  case unable = 4
  case usage = 64
  /// A scenario is not valid, or needs a value.
  case invalidScenario = 65

  init(_ code: ExitCode) { self = code == .usage ? .usage : .unable }

  /// The table at the end of the help text.
  static let help = [
    "0", "all steps had the expected results",
    "1", "a step had another result",
    "4", "the tests could not be run",
    "64", "the command was written wrongly",
    "65", "a scenario is not valid, or needs a value",
    "128+N", "signal N has ended lstest; 141 when nobody reads its output any more",
  ]
}
