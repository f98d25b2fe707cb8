package import DBus
package import LaunchRules

/// Conversion between open failures and D-Bus errors.
extension Contract {
  /// The error with which a handler says that a URL may have arrived at another program.
  package static let deliveryUnknown: ErrorName = "org.launchservices.Error.DeliveryUnknown"
}

extension OpenFailure {
  package static let prefix = "org.launchservices.Error."

  /// The last part of the error's name, such as `HandlerExited`.
  package var name: String {
    switch self {
    case .invalidURL: "InvalidURL"
    case .applicationNotFound: "ApplicationNotFound"
    case .ambiguousHandler: "AmbiguousHandler"
    case .noExecutable: "NoExecutable"
    case .launchFailed: "LaunchFailed"
    case .launchTimedOut: "LaunchTimedOut"
    case .handlerExited: "HandlerExited"
    case .handlerRefused: "HandlerRefused"
    case .handlerTimedOut: "HandlerTimedOut"
    case .notPermitted: "NotPermitted"
    case .confirmationDeclined: "ConfirmationDeclined"
    case .confirmationUnavailable: "ConfirmationUnavailable"
    case .cancelled: "Cancelled"
    case .limitExceeded: "LimitExceeded"
    case .shuttingDown: "ShuttingDown"
    case .deliveryUnknown: "DeliveryUnknown"
    case .noSuchFile: "NoSuchFile"
    case .documentUnreachable: "DocumentUnreachable"
    case .deviceUnavailable: "DeviceUnavailable"
    }
  }

  private static let makers: [@Sendable (String) -> OpenFailure] = [
    { .invalidURL($0) }, { .applicationNotFound($0) }, { .ambiguousHandler($0) },
    { .noExecutable($0) }, { .launchFailed($0) }, { .launchTimedOut($0) }, { .handlerExited($0) },
    { .handlerRefused($0) }, { .handlerTimedOut($0) }, { .notPermitted($0) },
    { .confirmationDeclined($0) }, { .confirmationUnavailable($0) }, { .cancelled($0) },
    { .limitExceeded($0) }, { .shuttingDown($0) }, { .deliveryUnknown($0) }, { .noSuchFile($0) },
    { .documentUnreachable($0) }, { .deviceUnavailable($0) },
  ]

  /// One failure of each kind.
  package static var all: [OpenFailure] { makers.map { $0("") } }

  /// A sentence about the error.
  var documentation: String {
    switch self {
    case .invalidURL:
      "The text is not a URL, or the format of the scheme does not allow the URL."
    case .applicationNotFound: "No application handles the URL."
    case .ambiguousHandler:
      """
      Several applications handle the URL, and the setting `CollisionPolicy` is `ambiguous-is-error`.
      """
    case .noExecutable: "The application has no program."
    case .launchFailed: "The application could not be started."
    case .launchTimedOut: "The application did not start within the setting `LaunchTimeout`."
    case .handlerExited: "The application ended without a reply."
    case .handlerRefused: "The application replied with an error."
    case .handlerTimedOut: "The application did not reply within the setting `DeliveryTimeout`."
    case .notPermitted: "The caller may not do this; the text names the reason."
    case .confirmationDeclined: "The user declined the open."
    case .confirmationUnavailable:
      "The user must confirm the open, and did not answer or cannot be asked."
    case .cancelled:
      "The opener cancelled the open, has given it up, or its time (`valid-for`) has passed."
    case .limitExceeded: "A limit of the settings or of the contract; the text names the limit."
    case .shuttingDown: "The service is ending."
    case .deliveryUnknown:
      """
      The URL may have been delivered: the service ended during the delivery, an application of the \
      desktop took the URL and did not answer, or ended, or a device may have received the URL \
      without a confirmation. The URL is not delivered again.
      """
    case .noSuchFile: "The document does not exist."
    case .deviceUnavailable:
      """
      The device of the option `on` or of the setting `CallsFrom` is unknown, not paired or not reachable; the text \
      names the next step. Nothing was sent.
      """
    case .documentUnreachable: "The service cannot read the document or its folder."
    }
  }

  /// The D-Bus error.
  package var busError: BusError {
    guard let name = ErrorName(Self.prefix + name) else {
      preconditionFailure("\(name) is not an error name")
    }
    return BusError(name, text)
  }

  /// The D-Bus error of which only the name and text were kept.
  package static func busError(named name: String, _ text: String) -> BusError {
    BusError(
      ErrorName(prefix + name) ?? .failed, text)
  }

  /// Reads a D-Bus error; nil for an error that the contract does not define.
  package init?(_ error: BusError) {
    guard error.name.text.hasPrefix(Self.prefix),
      let make = Self.makers.first(where: {
        $0("").name == error.name.text.dropFirst(Self.prefix.count)
      })
    else { return nil }
    let plain = make(error.text)
    let number = " (OSStatus error \(plain.status))"
    self =
      error.text.hasSuffix(number) ? make(String(error.text.dropLast(number.count))) : plain
  }
}

extension Contract {
  /// The name of an error without the prefix of the contract; the whole name of any other.
  package static func shortName(of error: BusError) -> String {
    let name = error.name.text
    let prefix = OpenFailure.prefix
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }
}

/// The reason why a check-in, a change of the registry or a query about a process was refused.
package enum RegistrationFailure: Error, Hashable, Sendable {
  case notRegistered(String)
  case notPermitted(String)
  /// An instance with this process identifier runs already; 0 when unknown.
  case alreadyRunning(String)
  case invalidBundle(String)
  /// No application runs in the named process.
  case notRunning(String)

  private var parts: (name: ErrorName, text: String) {
    switch self {
    case .notRegistered(let text): ("org.launchservices.Error.NotRegistered", text)
    case .notPermitted(let text): ("org.launchservices.Error.NotPermitted", text)
    case .alreadyRunning(let text): ("org.launchservices.Error.AlreadyRunning", text)
    case .invalidBundle(let text): ("org.launchservices.Error.InvalidBundle", text)
    case .notRunning(let text): ("org.launchservices.Error.NotRunning", text)
    }
  }

  package var busError: BusError { BusError(parts.name, parts.text) }

  /// One failure of each kind.
  static let all: [Self] = [
    .notRegistered(""), .notPermitted(""), .alreadyRunning(""), .invalidBundle(""), .notRunning(""),
  ]

  /// A sentence about the error.
  var documentation: String {
    switch self {
    case .notRegistered: "No such application is registered."
    case .notPermitted: OpenFailure.notPermitted("").documentation
    case .alreadyRunning:
      "The application runs already in another process, which the text names."
    case .invalidBundle:
      "The bundle or file cannot be read, or has an error; the text names the reason."
    case .notRunning: "No application runs in the process."
    }
  }
}

// MARK: - Documentation

/// The description of an error for documents.
package struct ErrorDescription: Sendable {
  package let name: String
  /// Apple's number for the error, with which the text of the error ends; nil for other errors.
  package let status: Int?
  package let documentation: String
}

extension Contract {
  /// The errors that calls fail with.
  package static var errors: [ErrorDescription] {
    let opens = OpenFailure.all.map {
      ErrorDescription(
        name: $0.busError.name.text, status: $0.status, documentation: $0.documentation)
    }
    let named = Set(opens.map(\.name))
    let others = RegistrationFailure.all.map {
      ErrorDescription(name: $0.busError.name.text, status: nil, documentation: $0.documentation)
    }
    return opens + others.filter { !named.contains($0.name) } + standardErrors
  }

  private static let standardErrors = [
    ("InvalidArgs", "An argument or option has the wrong type or value; the text names it."),
    ("AccessDenied", "The caller cannot be identified; the text names the reason."),
    (
      "NotSupported",
      "The service has no session bus, or the call is not possible on a direct connection."
    ),
    ("Failed", "A file of the service could not be written; the text names the reason."),
    ("UnknownObject", "The service has no such object."),
    ("UnknownInterface", "The object has no such interface."),
    ("UnknownMethod", "The interface has no such method."),
    ("UnknownProperty", "The interface has no such property."),
    ("PropertyReadOnly", "The property cannot be set."),
  ].map {
    ErrorDescription(
      name: ErrorName.standardPrefix + $0.0, status: nil, documentation: $0.1)
  }
}
