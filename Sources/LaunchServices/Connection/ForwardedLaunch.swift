internal import BusContract
internal import DBus
internal import FoundationEssentials
internal import Glibc

/// Opens the URLs of the command line in the running instance of the application, for a second process that the
/// user started.
@MainActor enum ForwardedLaunch {
  /// Exits with status 0 when all URLs were delivered. Returns when the command line has no URL.
  static func run(on connection: Connection) throws(StartFailure) {
    let process = ProcessInfo.processInfo
    let urls = process.arguments.dropFirst().filter { URL(string: $0)?.scheme != nil }
    let token = process.environment["XDG_ACTIVATION_TOKEN"].flatMap { token in
      OpenOptions.isActivationToken(token) ? token : nil
    }
    guard !urls.isEmpty else { return }
    for (index, url) in urls.enumerated() {
      var options = OpenOptions()
      options.ownApplication = true
      options.requestID = UUID().uuidString
      options.activationToken = index == 0 ? token : nil
      do throws(BusError) {
        _ = try connection.callAndWait(Contract.openURL(url, options))
      } catch {
        throw .notHandedOver(
          "the running instance did not receive URL \(index + 1) of \(urls.count): \(error.text)")
      }
    }
    exit(0)
  }
}
