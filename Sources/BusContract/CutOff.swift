package import DBus
internal import LaunchRules

/// When the service ends before it has answered an open, the client asks the next one, with the same
/// `request-id`, what became of it.
package enum CutOff {
  /// How long to wait before each attempt, in milliseconds: together 30 s, time enough to restart.
  package static let pauses = [50, 100, 200, 400, 800, 1500, 3000, 6000, 9000, 9000]

  /// The service was there and is gone, or is going.
  package static func isCutOff(_ error: BusError) -> Bool {
    error.name == "org.freedesktop.DBus.Error.NoReply" || error.name == shuttingDown
  }

  /// There is no service at this moment.
  package static func isAbsence(_ error: BusError) -> Bool {
    [
      "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    ].contains(error.name.text) || error.name.text.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
  }

  private static let shuttingDown = OpenFailure.shuttingDown("").busError.name
}
