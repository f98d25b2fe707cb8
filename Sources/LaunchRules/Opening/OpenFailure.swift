/// The reason why a request failed. Every text is a sentence that ends with the OSStatus number known from
/// Apple's systems (R3.15).
package enum OpenFailure: Error, Hashable, Sendable {
  case invalidURL(String)
  case applicationNotFound(String)
  case ambiguousHandler(String)
  case noExecutable(String)
  case launchFailed(String)
  case launchTimedOut(String)
  case handlerExited(String)
  /// - Parameter words: the text of the handler, which may repeat secrets of the URL.
  case handlerRefused(String, words: String? = nil)
  case handlerTimedOut(String)
  case notPermitted(String)
  case confirmationDeclined(String)
  case confirmationUnavailable(String)
  case cancelled(String)
  case limitExceeded(String)
  case shuttingDown(String)
  /// The daemon ended during the delivery.
  case deliveryUnknown(String)
  case noSuchFile(String)
  /// The file exists, or may exist, and cannot be accessed.
  case documentUnreachable(String)
  /// A device is unknown, not paired or not reachable, or the program that reaches devices does not run.
  case deviceUnavailable(String)

  /// The description without the number.
  package var sentence: String {
    switch self {
    case .invalidURL(let sentence), .applicationNotFound(let sentence),
      .ambiguousHandler(let sentence), .noExecutable(let sentence), .launchFailed(let sentence),
      .launchTimedOut(let sentence), .handlerExited(let sentence),
      .handlerTimedOut(let sentence), .notPermitted(let sentence),
      .confirmationDeclined(let sentence), .confirmationUnavailable(let sentence),
      .cancelled(let sentence), .limitExceeded(let sentence), .shuttingDown(let sentence),
      .deliveryUnknown(let sentence), .noSuchFile(let sentence),
      .documentUnreachable(let sentence), .deviceUnavailable(let sentence):
      sentence
    case .handlerRefused(let sentence, let words): words.map { "\(sentence): \($0)" } ?? sentence
    }
  }

  /// The failure without the text of the handler.
  package var withoutWords: OpenFailure {
    if case .handlerRefused(let sentence, _) = self { .handlerRefused(sentence) } else { self }
  }

  /// The failure when the process that ended had got the request to pass it on: another program may have it.
  package var whenPassedOn: OpenFailure {
    guard case .handlerExited(let sentence) = self else { return self }
    return .deliveryUnknown(
      "\(sentence); it is unknown whether the URL was passed on before, and the URL is not sent again"
    )
  }

  /// The failure for an opener that may not know the handler: the kind of failure without facts about the
  /// handler.
  package func withoutHandler(for caller: SandboxedCaller) -> OpenFailure {
    switch self {
    case .invalidURL, .applicationNotFound, .notPermitted, .shuttingDown, .noSuchFile,
      .documentUnreachable:
      self
    case .ambiguousHandler:
      .ambiguousHandler(
        "several applications claim the scheme, and the setting CollisionPolicy requires a choice")
    case .noExecutable: .noExecutable("the application has no program")
    case .launchFailed: .launchFailed("the application could not be started")
    case .launchTimedOut: .launchTimedOut("the application did not start in time")
    case .handlerExited: .handlerExited("the application ended before it accepted the delivery")
    case .handlerRefused: .handlerRefused("the application did not accept the delivery")
    case .handlerTimedOut: .handlerTimedOut("the application did not answer in time")
    case .confirmationDeclined:
      .confirmationDeclined("the user declined the open, now or in a remembered answer")
    case .confirmationUnavailable:
      .confirmationUnavailable(
        "the user must confirm this open, but could not be asked"
          + (caller.adviceOfUnasked.map { "; \($0)" } ?? ""))
    case .cancelled: .cancelled("the open was cancelled")
    case .deviceUnavailable: .deviceUnavailable("the device cannot be reached")
    case .limitExceeded: .limitExceeded("a limit on pending opens is reached; try again later")
    case .deliveryUnknown:
      .deliveryUnknown(
        "it is unknown whether the request arrived, and the request is not sent again")
    }
  }

  /// The matching number of R3.15, or of the older tables that it refers to.
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
    case .shuttingDown, .deviceUnavailable: -10822  // kLSServerCommunicationErr
    case .noSuchFile: -43  // fnfErr
    case .documentUnreachable: -36  // ioErr
    }
  }

  /// The failure when no application handles a scheme.
  /// - Parameter missing: the application that handles the scheme on Apple's systems.
  package static func noApplication(
    for scheme: URLScheme, _ missing: SystemApplication? = nil
  ) -> OpenFailure {
    let none = "no application is registered for the scheme \(scheme)"
    guard let missing else { return .applicationNotFound(none) }
    return .applicationNotFound(
      "\(missing.name) is not installed, and \(none); install \(missing.identifier) or an"
        + " application that claims \(scheme)")
  }

  /// The failure when a scheme of iOS is opened by an application for macOS, and no other application claims it.
  static func notForMacOS(_ scheme: URLScheme) -> OpenFailure {
    .applicationNotFound(
      "\(scheme) URLs are for iOS only, and the opener is an application for macOS")
  }

  /// The failure when no application of the desktop handles a scheme that a system application passes on.
  /// - Parameter missing: the system application of the scheme; nil when the scheme has none.
  static func noDesktopApplication(
    for scheme: URLScheme, _ missing: SystemApplication?
  ) -> OpenFailure {
    .applicationNotFound(
      (missing.map { "\($0.name) is not installed: " } ?? "")
        + "no application of the desktop handles the scheme \(scheme);"
        + " install one, or choose an application with: lsregister default \(scheme) ID")
  }

  /// - Parameter identifier: the bundle identifier, as the caller wrote it.
  package static func notRegistered(_ identifier: some CustomStringConvertible) -> OpenFailure {
    .applicationNotFound("no application \(identifier) is registered")
  }

  package var text: String { "\(sentence) (OSStatus error \(status))" }
}
