package import DBus

/// An error reply.
public struct Refusal: Error, Codable, Hashable, Sendable, CustomStringConvertible {
  /// The name of the D-Bus error, such as `org.launchservices.Error.InvalidURL`.
  public var name: String
  /// The message of the error.
  public var text: String

  /// Creates an error with a name and a message. A name without a dot gets the prefix `org.launchservices.Error.`.
  public init(_ name: String, _ text: String) {
    self.name = name.contains(".") ? name : "org.launchservices.Error." + name
    self.text = text
  }

  /// The name and the message.
  public var description: String { "\(name): \(text)" }

  package init(_ error: BusError) {
    self.init(
      error.name.text, Testbed.usesUserManager ? Self.withoutUnit(error.text) : error.text)
  }

  /// The text without the name of a unit, which differs each time, so that tests expect equal texts with both
  /// launchers.
  package static func withoutUnit(_ text: String) -> String {
    guard let start = text.firstRange(of: " (unit app-launchservices-")?.lowerBound,
      let end = text[start...].firstRange(of: "')")?.upperBound
    else { return text }
    return String(text[..<start] + text[end...])
  }
}
