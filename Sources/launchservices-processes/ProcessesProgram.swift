internal import Events
internal import Glibc
internal import Host
internal import LaunchRules

/// The program `launchservices-processes`: reads for a confined `launchservicesd` the data about this user's
/// processes that the kernel shows only outside of a user namespace. It starts nothing, writes nothing, and
/// makes no decisions.
@main enum ProcessesProgram {
  static func main() {
    guard CommandLine.argc == 1 else {
      end(
        "takes no arguments; the unit launchservices-processes.service runs it for launchservicesd",
        EX_USAGE)
    }
    guard let path = ProcessQuestion.socket(runtimeFolder: variable("XDG_RUNTIME_DIR")) else {
      end("XDG_RUNTIME_DIR is not set to an absolute path", EX_USAGE)
    }
    let survey = ProcessSurvey()
    let socket: AnsweringSocket
    do {
      try makePrivateFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
      socket = try AnsweringSocket(path: path) {
        ProcessQuestion.answer($0, variables: CallerVariables.names, survey)
      }
    } catch {
      end("\(path): \(error)", 4)
    }
    notifyReady(variable("NOTIFY_SOCKET"))
    withExtendedLifetime(socket) { MainLoop.run() }
  }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  private static func end(_ problem: String, _ status: Int32) -> Never {
    let line = Array("launchservices-processes: \(problem)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(status)
  }
}
