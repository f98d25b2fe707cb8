internal import Commands
internal import DBus
internal import DBusMainLoop
internal import DesktopEntries
internal import Events
internal import Glibc
internal import Host

/// Prints the failure with which an open would end because another process has taken the place of an application; nothing
/// otherwise. Sends nothing to the application.
enum EndpointCheck {
  /// Never returns.
  static func run(_ application: BridgedApplication, _ output: Output) -> Never {
    let session: BusSession
    do throws(BusError) {
      session = BusSession(try Connection())
    } catch {
      output.complain("the message bus cannot be reached: \(error.text)")
      exit(ExitCode.failed.rawValue)
    }
    session.onDisconnect = { exit(ExitCode.failed.rawValue) }
    session.start()
    let opener = DesktopOpener(session, application, output)
    Task {
      if let objection = await opener.objection() { output.print(objection.description) }
      ProcessArguments.end(.success)
    }
    return withExtendedLifetime(session) { MainLoop.run() }
  }
}
