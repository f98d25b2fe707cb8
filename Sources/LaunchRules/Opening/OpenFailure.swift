/// Why a request came to nothing. Every text is a sentence for people and ends with the OSStatus
/// number that Apple's callers know (R3.15).
package enum OpenFailure: Error, Hashable, Sendable {
  case invalidURL(String)
  case applicationNotFound(String)
  case ambiguousHandler(String)
  case noExecutable(String)
  case launchFailed(String)
  case launchTimedOut(String)
  case handlerExited(String)
  /// - Parameter words: The handler's own, which may repeat what is secret in the URL.
  case handlerRefused(String, words: String? = nil)
  case handlerTimedOut(String)
  case notPermitted(String)
  case confirmationDeclined(String)
  case confirmationUnavailable(String)
  case cancelled(String)
  case limitExceeded(String)
  case shuttingDown(String)
  /// The daemon ended in the middle of the delivery.
  case deliveryUnknown(String)
  case noSuchFile(String)
  /// The file is there, or may be, and cannot be looked at.
  case documentUnreachable(String)

  /// What happened, without the number.
  package var sentence: String {
    switch self {
    case .invalidURL(let sentence), .applicationNotFound(let sentence),
      .ambiguousHandler(let sentence), .noExecutable(let sentence), .launchFailed(let sentence),
      .launchTimedOut(let sentence), .handlerExited(let sentence),
      .handlerTimedOut(let sentence), .notPermitted(let sentence),
      .confirmationDeclined(let sentence), .confirmationUnavailable(let sentence),
      .cancelled(let sentence), .limitExceeded(let sentence), .shuttingDown(let sentence),
      .deliveryUnknown(let sentence), .noSuchFile(let sentence),
      .documentUnreachable(let sentence):
      sentence
    case .handlerRefused(let sentence, let words): words.map { "\(sentence): \($0)" } ?? sentence
    }
  }

  /// The same without what the handler said.
  package var withoutWords: OpenFailure {
    if case .handlerRefused(let sentence, _) = self { .handlerRefused(sentence) } else { self }
  }

  /// The same for an opener that must not learn which application it was for: what became of the open, and nothing of
  /// where.
  package var withoutHandler: OpenFailure {
    switch self {
    case .invalidURL, .applicationNotFound, .notPermitted, .shuttingDown, .noSuchFile,
      .documentUnreachable:
      self
    case .ambiguousHandler:
      .ambiguousHandler(
        "more than one application claims the scheme, and the settings forbid a guess")
    case .noExecutable: .noExecutable("the application has no program")
    case .launchFailed: .launchFailed("the application could not be started")
    case .launchTimedOut: .launchTimedOut("the application did not start in time")
    case .handlerExited: .handlerExited("the application ended before it took what was opened")
    case .handlerRefused: .handlerRefused("the application did not take what was opened")
    case .handlerTimedOut: .handlerTimedOut("the application did not answer in time")
    case .confirmationDeclined:
      .confirmationDeclined("the user, or an earlier answer of the user, said no")
    case .confirmationUnavailable:
      .confirmationUnavailable("the user must confirm this open, and could not be asked")
    case .cancelled: .cancelled("the open was cancelled")
    case .limitExceeded: .limitExceeded("it is too much beside what is under way: ask again later")
    case .deliveryUnknown:
      .deliveryUnknown("it is not known whether it arrived, and it is not sent again")
    }
  }

  /// The closest number of R3.15, or of the older tables it names.
  package var status: Int {
    switch self {
    case .applicationNotFound, .ambiguousHandler: -10814  // kLSApplicationNotFoundErr
    case .noExecutable: -10827  // kLSNoExecutableErr
    case .launchFailed, .handlerRefused, .limitExceeded, .deliveryUnknown: -10810  // kLSUnknownErr
    case .launchTimedOut, .handlerTimedOut: -1712  // errAETimeout
    case .handlerExited: -600  // procNotFound
    case .notPermitted, .confirmationUnavailable: -54  // permErr
    case .confirmationDeclined, .cancelled: -128  // userCanceledErr
    case .invalidURL: -50  // paramErr
    case .shuttingDown: -10822  // kLSServerCommunicationErr
    case .noSuchFile: -43  // fnfErr
    case .documentUnreachable: -36  // ioErr
    }
  }

  /// Nobody handles a scheme.
  /// - Parameter missing: the application of Apple's systems that handles the scheme there.
  static func noApplication(for scheme: URLScheme, _ missing: SystemApplication?) -> OpenFailure {
    let nobody = "no application is registered for the scheme \(scheme)"
    guard let missing else { return .applicationNotFound(nobody) }
    return .applicationNotFound(
      "\(missing.name) is not installed, and \(nobody); install \(missing.identifier) or an"
        + " application that claims \(scheme)")
  }

  static func notRegistered(_ identifier: BundleIdentifier) -> OpenFailure {
    .applicationNotFound("no application \(identifier) is registered")
  }

  package var text: String { "\(sentence) (OSStatus error \(status))" }
}
