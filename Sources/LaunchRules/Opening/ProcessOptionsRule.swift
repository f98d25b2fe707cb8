/// Whether the process of an application can have the options of an opener (R6.8).
package enum ProcessOptionsRule {
  /// The failure for options that would be lost; nil when the process can have the options.
  /// - Parameters:
  ///   - arguments: whether the opener gives arguments.
  ///   - streams: whether the opener gives standard streams.
  package static func refusal(
    arguments: Bool, streams: Bool, for application: InstalledApplication
  ) -> OpenFailure? {
    guard application.origin == .desktopEntry, arguments || streams else { return nil }
    let what = arguments ? "arguments" : "standard streams"
    return .launchFailed(
      "\(application.identifier) is started by the Exec of its desktop entry, which has no place for"
        + " \(what) of an opener: start the program itself, or register a property list for it")
  }

  /// The reason why nobody can wait for the end of an application; nil when the daemon knows its process.
  package static func objectionToWaiting(for application: InstalledApplication) -> String? {
    application.origin == .desktopEntry
      ? "\(application.identifier) is started by its desktop entry, so the end of the application is not known"
      : nil
  }
}
