import Commands
import DBus

/// A daemon that gives prepared answers, one for each call, and remembers what it was asked.
final class ScriptedService {
  struct Call: Equatable {
    var member: String
    var arguments: [Value]
    var milliseconds: Int32?
  }

  private(set) var calls: [Call] = []
  /// The `request-id` of each call that had one; kept apart, because every open has one.
  private(set) var requestIDs: [String] = []
  /// In milliseconds.
  var pauses: [Int] = []
  /// The socket of the remote that the daemon is reached at; nil for the daemon of this session.
  var remotePath: String?
  private var answers: [Result<[Value], ServiceFailure>]

  init(_ answers: Result<[Value], ServiceFailure>...) { self.answers = answers }

  var service: Service {
    var service = Service { message, milliseconds throws(ServiceFailure) in
      self.calls.append(
        Call(
          member: message.member ?? "",
          arguments: message.arguments().map(self.withoutRequestID), milliseconds: milliseconds))
      guard !self.answers.isEmpty else { throw .notRunning("the script is over") }
      return try self.answers.removeFirst().get()
    }
    service.remotePath = { self.remotePath }
    return service
  }

  private func withoutRequestID(_ argument: Value) -> Value {
    guard var options = argument.asOptions, let id = options.removeValue(forKey: "request-id")
    else { return argument }
    requestIDs.append(id.asString ?? "")
    return .options(options)
  }
}

/// What a command wrote.
final class Screen {
  private(set) var standardOutput = ""
  private(set) var standardError = ""

  func output(of command: String) -> Output {
    Output(command: command) { stream, text in
      switch stream {
      case .standard: self.standardOutput += text
      case .error: self.standardError += text
      }
    }
  }
}

/// How a command ended and all that it wrote.
struct Ending: Equatable {
  var code: ExitCode
  var standardOutput = ""
  var standardError = ""

  init(_ code: ExitCode, _ standardOutput: String = "", error standardError: String = "") {
    self.code = code
    self.standardOutput = standardOutput
    self.standardError = standardError
  }
}
