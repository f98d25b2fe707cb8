package import DBus
package import LaunchRules

extension PlainValue {
  /// Nil for a value that property lists cannot represent, or a number out of range.
  package init?(_ value: Value) {
    switch value {
    case .string(let text): self = .string(text)
    case .boolean(let flag): self = .boolean(flag)
    case .byte(let number): self = .integer(Int64(number))
    case .int16(let number): self = .integer(Int64(number))
    case .uint16(let number): self = .integer(Int64(number))
    case .int32(let number): self = .integer(Int64(number))
    case .uint32(let number): self = .integer(Int64(number))
    case .int64(let number): self = .integer(number)
    case .uint64(let number):
      guard let number = Int64(exactly: number) else { return nil }
      self = .integer(number)
    case .double(let number):
      guard number.isFinite else { return nil }
      self = .double(number)
    case .variant(let value): self.init(value)
    case .array(of: "{sv}", _):
      guard let dictionary = value.asOptions.flatMap(Self.dictionary) else { return nil }
      self = .dictionary(dictionary)
    case .array(of: "y", let elements):
      self = .data(elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
    case .array(_, let elements), .structure(let elements):
      let list = elements.compactMap(PlainValue.init)
      guard list.count == elements.count else { return nil }
      self = .list(list)
    case .objectPath, .signature, .descriptor, .dictionaryEntry: return nil
    }
  }

  /// Nil when one of the values cannot be converted.
  package static func dictionary(_ options: Options) -> [String: PlainValue]? {
    let dictionary = options.compactMapValues(PlainValue.init)
    return dictionary.count == options.count ? dictionary : nil
  }

  /// The D-Bus value: numbers are `x` or `d`, data `ay`, lists `av`, dictionaries `a{sv}`.
  package var value: Value {
    switch self {
    case .string(let text): .string(text)
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .int64(number)
    case .double(let number): .double(number)
    case .data(let bytes): .array(of: "y", bytes.map(Value.byte))
    case .list(let list): .array(of: "v", list.map { .variant($0.value) })
    case .dictionary(let dictionary): .options(dictionary.mapValues(\.value))
    }
  }
}

extension Value {
  /// The text of a property, as `Get` of `org.freedesktop.DBus.Properties` returns it.
  package var asStringInVariant: String? {
    if case .variant(let value) = self { value.asString } else { nil }
  }

  /// The truth value of a property, as `Get` of `org.freedesktop.DBus.Properties` returns it.
  package var asBooleanInVariant: Bool? {
    if case .variant(let value) = self { value.asBoolean } else { nil }
  }
}
