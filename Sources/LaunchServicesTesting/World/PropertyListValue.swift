/// A value of a property list.
public indirect enum PropertyListValue: Encodable, Hashable, Sendable {
  /// A string.
  case string(String)
  /// A boolean.
  case boolean(Bool)
  /// An integer.
  case integer(Int)
  /// An array of values.
  case array([PropertyListValue])
  /// A dictionary.
  case dictionary([String: PropertyListValue])

  /// Writes the value itself, without the name of the case.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let string): try container.encode(string)
    case .boolean(let boolean): try container.encode(boolean)
    case .integer(let integer): try container.encode(integer)
    case .array(let elements): try container.encode(elements)
    case .dictionary(let entries): try container.encode(entries)
    }
  }

  static func strings(_ strings: [String]) -> PropertyListValue {
    .array(strings.map(PropertyListValue.string))
  }
}

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a string.
  public init(stringLiteral string: String) { self = .string(string) }
  /// Creates a boolean.
  public init(booleanLiteral boolean: Bool) { self = .boolean(boolean) }
  /// Creates an integer.
  public init(integerLiteral integer: Int) { self = .integer(integer) }
  /// Creates an array.
  public init(arrayLiteral elements: PropertyListValue...) { self = .array(elements) }
  /// Creates a dictionary; of entries with the same key, the last entry counts.
  public init(dictionaryLiteral entries: (String, PropertyListValue)...) {
    self = .dictionary(Dictionary(entries) { $1 })
  }
}
