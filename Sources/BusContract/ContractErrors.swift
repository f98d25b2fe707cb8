package import DBus
package import LaunchRules

/// Conversion between open failures and D-Bus errors.
extension OpenFailure {
  fileprivate static let prefix = "org.launchservices.Error."

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
    }
  }

  private static let makers: [String: @Sendable (String) -> OpenFailure] = [
    "InvalidURL": { .invalidURL($0) }, "ApplicationNotFound": { .applicationNotFound($0) },
    "AmbiguousHandler": { .ambiguousHandler($0) }, "NoExecutable": { .noExecutable($0) },
    "LaunchFailed": { .launchFailed($0) }, "LaunchTimedOut": { .launchTimedOut($0) },
    "HandlerExited": { .handlerExited($0) }, "HandlerRefused": { .handlerRefused($0) },
    "HandlerTimedOut": { .handlerTimedOut($0) }, "NotPermitted": { .notPermitted($0) },
    "ConfirmationDeclined": { .confirmationDeclined($0) },
    "ConfirmationUnavailable": { .confirmationUnavailable($0) }, "Cancelled": { .cancelled($0) },
    "LimitExceeded": { .limitExceeded($0) }, "ShuttingDown": { .shuttingDown($0) },
    "DeliveryUnknown": { .deliveryUnknown($0) }, "NoSuchFile": { .noSuchFile($0) },
    "DocumentUnreachable": { .documentUnreachable($0) },
  ]

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
      ErrorName(prefix + name) ?? "org.freedesktop.DBus.Error.Failed", text)
  }

  /// Reads a D-Bus error; nil for an error that the contract does not define.
  package init?(_ error: BusError) {
    guard error.name.text.hasPrefix(Self.prefix),
      let make = Self.makers[String(error.name.text.dropFirst(Self.prefix.count))]
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

  package var busError: BusError {
    switch self {
    case .notRegistered(let text): BusError("org.launchservices.Error.NotRegistered", text)
    case .notPermitted(let text): BusError("org.launchservices.Error.NotPermitted", text)
    case .alreadyRunning(let text): BusError("org.launchservices.Error.AlreadyRunning", text)
    case .invalidBundle(let text): BusError("org.launchservices.Error.InvalidBundle", text)
    case .notRunning(let text): BusError("org.launchservices.Error.NotRunning", text)
    }
  }
}
