internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import LaunchServices
internal import StubApplications

/// The state of the stand-in program: what to do, and what it did.
enum Stub {
  private static var behaviour = StubBehaviour.accepting
  private static var identifier = ""
  /// The descriptor of the log; nil without one.
  private static var log: Int32?
  private static var deliveries = 0

  /// Runs the program until it ends. The arguments begin with `--stub`.
  static func run(_ arguments: [String], identifier: String?) {
    let output = Output.ofProcess(command: StubPropertyList.program)
    var opensTogether = false
    do throws(CommandFailure) {
      for argument in try Argument<StubOption>.parse(arguments) {
        switch argument {
        case .option(.behaviour, let word): behaviour = try read(word)
        case .option(.log, let path): log = try openLog(path)
        case .option(.openTogether, _): opensTogether = true
        case .option(.help, _):
          ScriptedHandlerProgram.help.print(to: output)
          exit(ExitCode.success.rawValue)
        case .option(.stub, _): break
        // URLs, which a second process hands to the first, and arguments of the application.
        case .operand: break
        }
      }
    } catch {
      output.complain(error)
      exit(error.code.rawValue)
    }
    guard let identifier else {
      output.complain(
        "the daemon starts this program for an application, and nobody has: run 'lsregister add --stub PLIST',"
          + " then open a URL of the application with lsopen")
      exit(ExitCode.usage.rawValue)
    }
    self.identifier = identifier
    if opensTogether { DesktopStubDelegate.main() } else { StubDelegate.main() }
  }

  private static func read(_ word: String) throws(CommandFailure) -> StubBehaviour {
    do throws(StubBehaviour.Wrong) {
      return try StubBehaviour(word: word)
    } catch {
      throw .usage(error.problem)
    }
  }

  private static func openLog(_ path: String) throws(CommandFailure) -> Int32 {
    let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandFailure(
        .failed, "the log \(path) cannot be opened: \(unsafe String(cString: strerror(errno)))")
    }
    return descriptor
  }

  // MARK: Events

  /// Records a call.
  static func record(
    _ callback: StubEvent.Callback, urls: [String] = [], links: [String] = [],
    quickAction: String? = nil, source: String? = nil
  ) {
    let event = StubEvent(
      application: identifier, process: getpid(), callback: callback, urls: urls, links: links,
      quickAction: quickAction, source: source)
    if let log { write(event.line, to: log) }
    write(event.sentence.visible, to: 1)
  }

  /// One call of `write`, so that lines of several processes do not mix.
  private static func write(_ line: String, to descriptor: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  /// Does what the behaviour says for the next delivery. Returns whether the delivery is handled.
  static func deliver() -> Bool {
    defer { deliveries += 1 }
    return perform(behaviour.act(forDelivery: deliveries))
  }

  /// Does what the behaviour says for the launch. Returns the answer of `didFinishLaunching`.
  static func launch() -> Bool { behaviour.launch.map(perform) ?? true }

  private static func perform(_ act: StubBehaviour.Act) -> Bool {
    switch act {
    case .accept: return true
    case .refuse, .veto: return false
    case .hang, .hangAtLaunch: while true { pause() }
    case .crash, .crashAtLaunch:
      // No dump of the memory: the crash is on purpose.
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      abort()
    }
  }
}
