/// A value of a property list.
public indirect enum PropertyListValue: Encodable, Hashable, Sendable {
  case string(String)
  case boolean(Bool)
  case integer(Int)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])

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
  public init(stringLiteral string: String) { self = .string(string) }
  public init(booleanLiteral boolean: Bool) { self = .boolean(boolean) }
  public init(integerLiteral integer: Int) { self = .integer(integer) }
  public init(arrayLiteral elements: PropertyListValue...) { self = .array(elements) }
  public init(dictionaryLiteral entries: (String, PropertyListValue)...) {
    self = .dictionary(Dictionary(entries) { $1 })
  }
}
