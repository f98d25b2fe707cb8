internal import BusContract
internal import DBus
internal import LaunchRules

/// The error of an open that failed.
public struct OpenError: Error, Hashable, Sendable {
  /// The reasons why an open fails.
  public enum Code: Hashable, Sendable {
    /// The URL cannot be parsed, or is a file URL that does not name a file of this machine.
    case invalidURL
    /// An option or an argument of the call is unknown, has the wrong type, or is not supported.
    case invalidOption
    /// No application claims the URL, or the given application is not registered or is not a valid bundle.
    case applicationNotFound
    /// Several applications claim the URL, and the settings forbid the daemon to choose between them.
    case ambiguousHandler
    /// The application's property list names no program, or the program does not exist.
    case noExecutable
    /// The application's process could not be started, or the application allows no second one.
    case launchFailed
    /// The process did not check in or did not finish launching in time.
    case launchTimedOut
    /// The handler's process ended before it acknowledged the delivery.
    case handlerExited
    /// The handler answered the delivery with an error, or the delivery failed.
    case handlerRefused
    /// The handler did not acknowledge the delivery in time.
    case handlerTimedOut
    /// The caller may not make this call, such as an iOS application that names the handler.
    case notPermitted
    /// The user or the settings declined the open.
    case confirmationDeclined
    /// The user has to confirm the open and could not be asked.
    case confirmationUnavailable
    /// The opener cancelled the open.
    case cancelled
    /// A limit of the daemon is reached, such as the number of opens that may wait for an application.
    case limitExceeded
    /// The daemon is shutting down and did not complete the open.
    case shuttingDown
    /// The daemon ended during the delivery; whether the URL arrived is unknown.
    case deliveryUnknown
    /// The file of a file URL does not exist.
    case noSuchFile
    /// The file exists, or may exist, but cannot be accessed.
    case documentUnreachable
    /// The device is unknown, not paired or not reachable, or KDE Connect does not run. Nothing was sent.
    case deviceUnavailable
    /// The bus or the Launch Services daemon is unreachable, or answered with an unknown error.
    case serviceUnreachable
  }

  /// The reason.
  public let code: Code
  /// A sentence for the user.
  public let message: String
  /// The corresponding OSStatus (R3.15).
  public let status: Int
}

extension OpenError: CustomStringConvertible {
  /// The message and the OSStatus.
  public var description: String { "\(message) (OSStatus error \(status))" }
}

extension OpenError {
  init(_ error: BusError) {
    if let failure = OpenFailure(error) {
      self.init(code: Code(failure), message: failure.sentence, status: failure.status)
    } else {
      // The message of a daemon without a bus contains a remedy.
      let isAnswer = error.name == .notSupported
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
      case .deviceUnavailable: .deviceUnavailable
      }
  }
}
