/// Whether the process of an application can have the options of an opener (R6.8).
package enum ProcessOptionsRule {
  /// The failure for options that would be lost; nil when the process can have the options.
  /// - Parameters:
  ///   - arguments: whether the opener gives arguments.
  ///   - streams: whether the opener gives standard streams.
  ///   - newInstance: whether the opener wants a new process.
  ///   - waits: whether the opener is going to wait for the end of the process.
  package static func refusal(
    arguments: Bool, streams: Bool, newInstance: Bool, waits: Bool,
    for application: InstalledApplication
  ) -> OpenFailure? {
    guard application.isStartedByBridge else { return nil }
    if waits, let objection = objectionToWaiting(for: application) {
      return .launchFailed(objection)
    }
    if newInstance {
      return .launchFailed(
        "\(application.identifier) is started by \(application.starter), and its program decides whether a second"
          + " process runs: open without asking for a new process, or start the program itself")
    }
    guard arguments || streams else { return nil }
    let what = arguments ? "arguments" : "standard streams"
    return .launchFailed(
      "\(application.identifier) is started by \(application.starter), which has no place for"
        + " \(what) of an opener: start the program itself, or register a property list for it")
  }

  /// The reason why nobody can wait for the end of an application; nil when the daemon knows its process.
  package static func objectionToWaiting(for application: InstalledApplication) -> String? {
    application.isStartedByBridge
      ? "\(application.identifier) is started by \(application.starter), so the end of the application is not known"
      : nil
  }
}

extension InstalledApplication {
  /// What starts the program, in messages.
  fileprivate var starter: String {
    origin == .desktopEntry
      ? "its desktop entry" : "the hand-over of its property list (LaunchServicesHandOver)"
  }
}
