internal import BusContract
internal import DBus
internal import Glibc

/// The reason why a handler process exits during its start, and the exit status.
enum StartFailure: Error, Hashable {
  /// Another instance runs, and the application has at most one.
  case alreadyRunning(String)
  /// The running instance did not receive the URLs of the command line.
  case notHandedOver(String)
  /// The daemon cannot verify that this process is the application, or the application is not registered.
  case refused(String)
  /// The bus or the daemon is unreachable.
  case unreachable(String)
  /// The program contradicts its property list.
  case misconfigured(String)

  var sentence: String {
    switch self {
    case .alreadyRunning(let sentence), .notHandedOver(let sentence), .refused(let sentence),
      .unreachable(let sentence),
      .misconfigured(let sentence):
      sentence
    }
  }

  /// As in `sysexits.h`.
  var status: Int32 {
    switch self {
    case .alreadyRunning, .notHandedOver: 75  // EX_TEMPFAIL
    case .refused: 77  // EX_NOPERM
    case .unreachable: 69  // EX_UNAVAILABLE
    case .misconfigured: 78  // EX_CONFIG
    }
  }
}

extension StartFailure {
  /// Maps the error of the connection or of the check-in.
  init(_ error: BusError) {
    let refusal = "Launch Services refused the check-in: \(error.text)"
    switch error.name {
    case RegistrationFailure.alreadyRunning("").busError.name: self = .alreadyRunning(refusal)
    case RegistrationFailure.notRegistered("").busError.name,
      RegistrationFailure.notPermitted("").busError.name:
      self = .refused(refusal)
    default:
      self = .unreachable(
        "cannot reach Launch Services on the session bus (DBUS_SESSION_BUS_ADDRESS): \(error.text)")
    }
  }

  static func noSceneDelegate(in delegate: any ApplicationDelegate.Type) -> StartFailure {
    .misconfigured(
      "the property list has UIApplicationSceneManifest, but \(delegate).sceneDelegate names no class of a "
        + "SceneDelegate: name the class there, or remove the key")
  }
}
