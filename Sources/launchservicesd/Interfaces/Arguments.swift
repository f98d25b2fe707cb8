internal import BusContract
internal import DBus
internal import LaunchRules

extension BundleIdentifier {
  /// Reads an argument or option of a call.
  init(argument text: String, _ name: String) throws(BusError) {
    guard let identifier = BundleIdentifier(text) else {
      throw .invalidArguments("\(name): '\(text)' is not a bundle identifier")
    }
    self = identifier
  }
}
