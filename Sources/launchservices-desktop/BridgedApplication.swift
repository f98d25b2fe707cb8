internal import DesktopEntries
internal import LaunchRules

/// The application that gets all URLs of one process of the bridge.
struct BridgedApplication: Equatable {
  /// The desktop file ID, or the bundle identifier of an application with a property list.
  var identifier: String
  /// The protocol that the property list names for the running application.
  var declared: HandOverTable.Entry?
  /// The command line of the property list; empty for the `Exec` of the desktop entry.
  var program: [String] = []

  /// Nil when the application is not installed any more.
  var installed: DesktopApplication? {
    program.isEmpty
      ? DesktopApplication(identifier: identifier)
      : DesktopApplication(identifier: identifier, program: program)
  }
}
