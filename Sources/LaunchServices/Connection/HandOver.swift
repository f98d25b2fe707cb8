internal import BusContract
internal import DBus
internal import FoundationEssentials
internal import Glibc

/// A second process that was started by hand gives the URLs of its command line to the one that runs.
@MainActor enum HandOver {
  /// Ends the process with 0 when all of them were delivered. Returns when there are none.
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
          "the application that runs did not get URL \(index + 1) of \(urls.count): \(error.text)")
      }
    }
    exit(0)
  }
}
