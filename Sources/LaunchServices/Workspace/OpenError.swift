internal import BusContract
internal import DBus
internal import LaunchRules

/// Why a URL was not delivered.
public struct OpenError: Error, Hashable, Sendable {
  public enum Code: Hashable, Sendable {
    case invalidURL
    case invalidOption
    case applicationNotFound
    case ambiguousHandler
    case noExecutable
    case launchFailed
    case launchTimedOut
    case handlerExited
    case handlerRefused
    case handlerTimedOut
    case notPermitted
    case confirmationDeclined
    case confirmationUnavailable
    case cancelled
    case limitExceeded
    case shuttingDown
    /// The daemon ended during the delivery; whether the URL arrived is unknown.
    case deliveryUnknown
    case noSuchFile
    /// The file exists, or may exist, but cannot be accessed.
    case documentUnreachable
    /// The bus or the Launch Services daemon is unreachable, or answered with an unknown error.
    case serviceUnreachable
  }

  public let code: Code
  /// A sentence for the user.
  public let message: String
  /// The corresponding OSStatus (R3.15).
  public let status: Int
}

extension OpenError: CustomStringConvertible {
  public var description: String { "\(message) (OSStatus error \(status))" }
}

extension OpenError {
  init(_ error: BusError) {
    if let failure = OpenFailure(error) {
      self.init(code: Code(failure), message: failure.sentence, status: failure.status)
    } else {
      // The message of a daemon without a bus says what to do.
      let isAnswer = error.name == "org.freedesktop.DBus.Error.NotSupported"
      self.init(
        code: .serviceUnreachable,
        message: isAnswer ? error.text : "Launch Services did not answer: \(error.text)",
        status: -10822)  // kLSServerCommunicationErr
    }
  }

  static func invalidOption(_ message: String) -> OpenError {
    OpenError(code: .invalidOption, message: message, status: -50)  // paramErr
  }
}

extension OpenError.Code {
  fileprivate init(_ failure: OpenFailure) {
    self =
      switch failure {
      case .invalidURL: .invalidURL
      case .applicationNotFound: .applicationNotFound
      case .ambiguousHandler: .ambiguousHandler
      case .noExecutable: .noExecutable
      case .launchFailed: .launchFailed
      case .launchTimedOut: .launchTimedOut
      case .handlerExited: .handlerExited
      case .handlerRefused: .handlerRefused
      case .handlerTimedOut: .handlerTimedOut
      case .notPermitted: .notPermitted
      case .confirmationDeclined: .confirmationDeclined
      case .confirmationUnavailable: .confirmationUnavailable
      case .cancelled: .cancelled
      case .limitExceeded: .limitExceeded
      case .shuttingDown: .shuttingDown
      case .deliveryUnknown: .deliveryUnknown
      case .noSuchFile: .noSuchFile
      case .documentUnreachable: .documentUnreachable
      }
  }
}
