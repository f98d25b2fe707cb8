/// A method call with which a running application is asked to open a URL. The rules make it without the D-Bus library.
package struct BusRequest: Hashable, Sendable {
  /// An argument, with its D-Bus type.
  package enum Argument: Hashable, Sendable {
    /// `s`
    case string(String)
    /// `o`
    case objectPath(String)
    /// `as`
    case strings([String])
    /// `ay`
    case bytes([UInt8])
    /// `aay`, each with a final zero byte
    case byteStrings([String])
    /// `a{sv}`
    case options([String: Argument])
    /// `s`, an object of JSON
    case json([String: Argument])
  }

  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [Argument]

  init(_ path: String, _ interface: String, _ member: String, _ arguments: [Argument]) {
    (self.path, self.interface, self.member) = (path, interface, member)
    self.arguments = arguments
  }

  /// The object path that frameworks derive from a bus name: `/` and the name, with `/` for `.` and `_` for `-`.
  static func path(of name: String) -> String {
    "/" + String(name.map { $0 == "." ? "/" : $0 == "-" ? "_" : $0 })
  }
}

/// The answer of a running application to a `BusRequest`.
package enum BusAnswer: Hashable, Sendable {
  /// - Parameter status: the first value, where it is an integer.
  case values(status: Int32?)
  /// - Parameters:
  ///   - name: the name of the D-Bus error.
  case error(name: String, text: String)
  /// There was no answer in time, or the connection ended before the answer.
  case none
}
