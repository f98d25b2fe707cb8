internal import FoundationEssentials
internal import LaunchRules

/// A value of the settings file. Of values nested deeper than the entries of an array or a dictionary only
/// the type is kept.
package enum SettingValue: Hashable, Sendable {
  case boolean(Bool)
  /// Includes real numbers without a fraction.
  case integer(Int128)
  case real(Double)
  case string(String)
  case array([SettingValue])
  case dictionary([String: SettingValue])
  /// A type that no setting has, such as `a date`.
  case other(String)
}

extension SettingValue {
  /// The value in a log message: on one line and short.
  var shown: String {
    switch self {
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .string(let text): "the string \(text.quoted)"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .other(let kind): kind
    }
  }

  /// Like `shown`, and for an array also the first entry that is not a string, because settings have arrays of strings only.
  var shownWithEntry: String {
    guard case .array(let entries) = self else { return shown }
    let other = entries.first { if case .string = $0 { false } else { true } }
    return other.map { "an array that contains \($0.shown)" } ?? shown
  }

  /// The possible values of a command-line argument.
  static func candidates(_ argument: String) -> [SettingValue] {
    let integer = Int128(argument).map { SettingValue.integer($0) }
    let truth = ["true": true, "yes": true, "false": false, "no": false][argument]
    return [.string(argument)] + [integer, truth.map { .boolean($0) }].compactMap { $0 }
  }
}

extension SettingValue: Decodable {
  /// Longer arrays and dictionaries are not read: a small binary property list can contain a large array many
  /// times.
  static let longest = 10_000

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(Int128(number))
    } else if let number = try? container.decode(UInt64.self) {
      self = .integer(Int128(number))
    } else if let number = try? container.decode(Double.self) {
      self = .real(number)
    } else if let entries = try? decoder.unkeyedContainer() {
      self = Self.array(entries, isNested: decoder.codingPath.count > 1)
    } else if let entries = try? decoder.container(keyedBy: AnyKey.self) {
      self = Self.dictionary(entries, isNested: decoder.codingPath.count > 1)
    } else if (try? container.decode(Date.self)) != nil {
      self = .other("a date")
    } else if (try? container.decode(Data.self)) != nil {
      self = .other("data")
    } else {
      self = .other("a number of more than 64 bits, or another value that cannot be read,")
    }
  }

  private static func array(_ container: any UnkeyedDecodingContainer, isNested: Bool) -> Self {
    guard !isNested else { return .other("an array") }
    guard let count = container.count, count <= longest else {
      return .other("an array of more than \(longest) entries")
    }
    var container = container
    var entries: [SettingValue] = []
    while !container.isAtEnd {
      guard let entry = try? container.decode(SettingValue.self) else {
        return .other("a damaged array")
      }
      entries.append(entry)
    }
    return .array(entries)
  }

  private static func dictionary(
    _ container: KeyedDecodingContainer<AnyKey>, isNested: Bool
  ) -> Self {
    guard !isNested else { return .other("a dictionary") }
    let keys = container.allKeys
    guard keys.count <= longest else {
      return .other("a dictionary of more than \(longest) keys")
    }
    var entries: [String: SettingValue] = [:]
    for key in keys { entries[key.stringValue] = container.value(key) }
    return .dictionary(entries)
  }
}

/// Any key of a property list.
struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<AnyKey> {
  /// A value that cannot be decoded becomes `other`.
  func value(_ key: AnyKey) -> SettingValue {
    (try? decode(SettingValue.self, forKey: key)) ?? .other("a damaged value")
  }
}
