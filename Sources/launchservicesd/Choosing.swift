internal import Host
internal import LaunchRules

extension Daemon {
  /// The application that an open goes to.
  ///
  /// Says in the log when a system application is missed, as Apple's systems tell their user (R2.11).
  func choose(
    _ target: Dispatcher.Target, caller: String
  ) throws(OpenFailure) -> InstalledApplication {
    do throws(OpenFailure) {
      return try dispatcher.choose(target)
    } catch {
      if target.designated == nil,
        let missing = dispatcher.registry.missingSystemApplication(for: target.scheme)
      {
        journal.notice(
          "\(missing.name) is not installed", ["scheme": target.scheme.text],
          about: ["caller": caller])
      }
      throw error
    }
  }
}
