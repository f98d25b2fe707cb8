internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// `lsopen --continue`.
extension OpenCommand {
  /// Opens the web page of the current activity of an application on a device.
  func continueActivity(
    of application: String, _ invocation: OpenInvocation
  ) throws(CommandFailure) {
    let url: String
    do throws(CommandFailure) {
      url = try webpage(of: application, invocation)
    } catch {
      if invocation.json { print(error, ["application": .string(application)]) }
      throw error
    }
    try openOne(invocation, ["url": .string(url)]) { Contract.openURL(url, $0) }
  }

  private func webpage(
    of application: String, _ invocation: OpenInvocation
  ) throws(CommandFailure) -> String {
    guard let wanted = BundleIdentifier(application) else {
      throw .usage("'\(application)' is not a bundle identifier")
    }
    let activities =
      try ask(Contract.currentActivities(), invocation).first?.asOptionsList ?? []
    let owners = activities.compactMap { $0[Key.bundleIdentifier]?.asString }
    guard let place = owners.firstIndex(where: { BundleIdentifier($0) == wanted }) else {
      let others =
        owners.isEmpty
        ? "no application has one: a running application offers one with NSUserActivityTypes in its property list and"
          + " becomeCurrent()"
        : "applications with one: \(owners.joined(separator: ", "))"
      throw CommandFailure(
        .failed, "\(application) has no current activity; \(others)", error: "NoActivity")
    }
    guard let url = activities[place][Key.webpageURL]?.asString else {
      throw CommandFailure(
        .failed,
        "the current activity of \(application) has no web page, so no other device can continue it",
        error: "NoActivity")
    }
    return url
  }
}
