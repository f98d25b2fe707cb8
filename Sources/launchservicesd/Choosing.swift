internal import BusContract
internal import Host
internal import LaunchRules

extension Daemon {
  /// The processes that may get an open with `new-instance` instead of another new one.
  func seats(_ options: OpenOptions) -> [Seat] {
    options.instances.compactMap { pid in
      instances.instance(running: Int32(truncatingIfNeeded: pid))?.seat
    }
  }

  /// The application that an open goes to.
  ///
  /// Says in the log when a system application is missed, as Apple's systems tell their user (R2.11).
  func choose(
    _ target: OpenTarget, caller: String
  ) throws(OpenFailure) -> InstalledApplication {
    do throws(OpenFailure) {
      return try registry.choose(target)
    } catch {
      if target.designated == nil,
        let missing = registry.missingSystemApplication(for: target.scheme)
      {
        journal.notice(
          "\(missing.name) is not installed", ["scheme": target.scheme.text],
          about: ["caller": caller])
      }
      throw error
    }
  }
}
