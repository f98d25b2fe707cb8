/// The names of systemd units of applications, by the naming rules for desktop environments:
/// `app[-LAUNCHER]-IDENTIFIER[@RANDOM].service` and `app[-LAUNCHER]-IDENTIFIER-RANDOM.scope`. Each byte of
/// the identifier except ASCII letters, digits and `:_.` is escaped as `\xNN`.
package enum ApplicationUnit {
  /// Prefix of the units of Launch Services, before the identifier.
  private static let ours = "app-launchservices-"
  /// Maximum length of a unit name of systemd, in bytes.
  private static let longest = 255

  /// The name of a new unit.
  /// - Parameter random: ASCII letters and digits.
  /// - Returns: nil when the identifier is too long for a unit name.
  package static func name(for identifier: BundleIdentifier, random: String) -> String? {
    let name = "\(ours)\(escaped(identifier.text))@\(random).service"
    return name.utf8.count <= longest ? name : nil
  }

  /// Whether the name has the form used by this daemon or a previous one. The name does not prove which
  /// program created the unit.
  package static func isOurs(_ name: String) -> Bool { name.hasPrefix(ours) }

  /// The launcher in the name of a unit of an application; nil when the name has none.
  package static func launcher(in name: String) -> String? {
    guard identifier(in: name) != nil else { return nil }
    let words = name.dropFirst("app-".count).split(separator: "-")
    let isScope = name.hasSuffix(".scope")
    return words.count == (isScope ? 3 : 2) ? words.first.map(String.init) : nil
  }

  /// The identifier in the name of a unit; nil for units that do not belong to applications.
  package static func identifier(in name: String) -> BundleIdentifier? {
    guard let dot = name.lastIndex(of: "."), name.hasPrefix("app-") else { return nil }
    let stem = name[..<dot].dropFirst("app-".count)
    var parts: [Substring]
    switch name[dot...] {
    case ".service":
      let mark = stem.firstIndex(of: "@") ?? stem.endIndex
      parts = stem[..<mark].split(separator: "-", omittingEmptySubsequences: false)
      // The suffix that systemd's generator for autostart entries used before version 248.
      if parts.count > 1, parts.last == "autostart" { parts.removeLast() }
    case ".scope":
      parts = stem.split(separator: "-", omittingEmptySubsequences: false)
      parts.removeLast()
    default: return nil
    }
    // A dash within the name of a launcher is escaped, too.
    guard (1...2).contains(parts.count), !parts.contains("") else { return nil }
    return parts.last.flatMap { unescaped($0) }.flatMap(BundleIdentifier.init)
  }

  /// The identifiers that a unit may belong to: of an application with a property list, then of a desktop entry. Names
  /// of units of snapd and of applications that the message bus starts count, too.
  package static func candidates(in name: String) -> [BundleIdentifier] {
    if let identifier = identifier(in: name) {
      return [identifier] + [BundleIdentifier(identifier.text + ".desktop")].compactMap(\.self)
    }
    if let match = name.wholeMatch(of: /snap\.([^.]+)\.(.+?)[.-][0-9a-f-]{36}\.scope/) {
      return [BundleIdentifier("\(match.1)_\(match.2).desktop")].compactMap(\.self)
    }
    if let match = name.wholeMatch(of: /dbus-:1\.[0-9]+-(.+)@[0-9]+\.service/) {
      return [unescaped(match.1).flatMap { BundleIdentifier($0 + ".desktop") }].compactMap(\.self)
    }
    return []
  }

  /// The object path of a unit on the bus. Each byte except ASCII letters and digits is escaped as `_nn`.
  package static func objectPath(of name: String) -> String {
    var path = "/org/freedesktop/systemd1/unit/"
    for (index, byte) in name.utf8.enumerated() {
      let isPlain = byte.isASCIILetter || (byte.isASCIIDigit && index > 0)
      path += isPlain ? String(UnicodeScalar(byte)) : "_" + hexadecimal(byte)
    }
    return path
  }

  /// A shell command that shows the log of the unit.
  package static func logCommand(of name: String) -> String { "journalctl --user -u '\(name)'" }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain = byte.isASCIILetter || byte.isASCIIDigit || ":_.".utf8.contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "\\x" + hexadecimal(byte)
    }.joined()
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// Nil for an incomplete escape and for invalid UTF-8.
  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.dropFirst().prefix(2)
      guard rest.first == UInt8(ascii: "x"), digits.count == 2,
        digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
        let value = UInt8(String(Substring(digits)), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(3)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
