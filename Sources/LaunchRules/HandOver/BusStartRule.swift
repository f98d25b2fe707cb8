/// Decides how an application is started whose desktop entry says that the message bus starts it.
///
/// The bus gives the application the environment of the session. When the session has no display, the opener's display counts,
/// which the bus knows nothing of: to change the environment of the bus would change every later start in the session. So
/// the program of the entry is started with the display.
package enum BusStartRule {
  package enum Start: Hashable, Sendable {
    case byBus
    /// By `Exec`, with the variables.
    case byProgram
    case impossible(why: String)
  }

  /// The variables that name a display.
  private static let displays = ["DISPLAY", "WAYLAND_DISPLAY"]

  /// - Parameters:
  ///   - urls: the number of URLs.
  ///   - takesURLs: whether `Exec` has a field code for URLs.
  ///   - areFiles: whether the URLs are those of files, which `Exec` takes.
  ///   - variables: the environment variables that come from the opener. They contain a display only if the session has
  ///     none, or the opener has chosen the variable.
  package static func start(
    urls: Int, takesURLs: Bool, areFiles: Bool, variables: [String: String]
  ) -> Start {
    let chosen = displays.filter { variables[$0]?.isEmpty == false }
    guard !chosen.isEmpty else { return .byBus }
    guard urls > 0, !takesURLs, !areFiles else { return .byProgram }
    return .impossible(
      why:
        "the message bus starts it without the display of the opener, and its Exec takes no URL; run"
        + " 'dbus-update-activation-environment --systemd \(chosen.joined(separator: " "))' where the display is set,"
        + " restart launchservicesd, and try again")
  }
}
