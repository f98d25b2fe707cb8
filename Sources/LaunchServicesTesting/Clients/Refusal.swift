package import DBus

/// An error that came back over the bus.
public struct Refusal: Error, Codable, Hashable, Sendable, CustomStringConvertible {
  /// Of the D-Bus error, such as `org.launchservices.Error.InvalidURL`.
  public var name: String
  public var text: String

  public init(_ name: String, _ text: String) {
    self.name = name.contains(".") ? name : "org.launchservices.Error." + name
    self.text = text
  }

  public var description: String { "\(name): \(text)" }

  package init(_ error: BusError) {
    self.init(
      error.name.text, Testbed.usesUserManager ? Self.withoutUnit(error.text) : error.text)
  }

  /// The name of a unit is another one each time: without it the same sentences are expected of both
  /// launchers.
  package static func withoutUnit(_ text: String) -> String {
    guard let start = text.firstRange(of: " (unit app-launchservices-")?.lowerBound,
      let end = text[start...].firstRange(of: "')")?.upperBound
    else { return text }
    return String(text[..<start] + text[end...])
  }
}
