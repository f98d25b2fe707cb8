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

  package init(_ error: BusError) { self.init(error.name.text, error.text) }
}
