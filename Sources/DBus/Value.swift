/// One D-Bus value of any type. Only containers allocate memory of their own.
package enum Value: Hashable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(ObjectPath)
  case signature(Signature)
  case descriptor(OwnedDescriptor)
  indirect case variant(Value)
  case array(of: Signature, [Value])
  case structure([Value])
  indirect case dictionaryEntry(Value, Value)
}

extension Signature {
  // A constant, because a literal is validated at each use.
  static let string: Signature = "s"
  static let boolean: Signature = "b"
  static let option: Signature = "{sv}"
  static let stringPair: Signature = "{ss}"
  static let options: Signature = "a{sv}"
}

/// String keys to variants: `a{sv}`.
package typealias Options = [String: Value]

extension Value {
  package static func strings(_ strings: [String]) -> Value {
    .array(of: .string, strings.map(Value.string))
  }

  package static func booleans(_ booleans: [Bool]) -> Value {
    .array(of: .boolean, booleans.map(Value.boolean))
  }

  /// `a{sv}`, with its keys in order so that equal dictionaries are equal messages.
  package static func options(_ options: Options) -> Value {
    .array(
      of: .option,
      options.sorted { $0.key < $1.key }.map { .dictionaryEntry(.string($0), .variant($1)) })
  }

  /// `a{ss}`, with its keys in order.
  package static func stringDictionary(_ strings: [String: String]) -> Value {
    .array(
      of: .stringPair,
      strings.sorted { $0.key < $1.key }.map { .dictionaryEntry(.string($0), .string($1)) })
  }

  package static func optionsList(_ list: [Options]) -> Value {
    .array(of: .options, list.map(Value.options))
  }
}

extension Value {
  package var asString: String? { if case .string(let string) = self { string } else { nil } }
  package var asBoolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }
  package var asUInt32: UInt32? { if case .uint32(let number) = self { number } else { nil } }
  package var asUInt64: UInt64? { if case .uint64(let number) = self { number } else { nil } }
  package var asDescriptor: OwnedDescriptor? {
    if case .descriptor(let descriptor) = self { descriptor } else { nil }
  }
  package var asObjectPath: ObjectPath? {
    if case .objectPath(let path) = self { path } else { nil }
  }

  /// The elements, when this is an array or structure.
  package var elements: [Value]? {
    switch self {
    case .array(_, let elements), .structure(let elements): elements
    default: nil
    }
  }

  package var asStrings: [String]? {
    guard case .array(of: .string, let elements) = self else { return nil }
    return elements.compactMap(\.asString)
  }

  package var asBooleans: [Bool]? {
    guard case .array(of: .boolean, let elements) = self else { return nil }
    return elements.compactMap(\.asBoolean)
  }

  package var asOptions: Options? {
    guard case .array(of: .option, let elements) = self else { return nil }
    var options: Options = [:]
    for case .dictionaryEntry(.string(let key), .variant(let value)) in elements {
      options[key] = value
    }
    return options
  }

  package var asStringDictionary: [String: String]? {
    guard case .array(of: .stringPair, let elements) = self else { return nil }
    var strings: [String: String] = [:]
    for case .dictionaryEntry(.string(let key), .string(let value)) in elements {
      strings[key] = value
    }
    return strings
  }

  package var asOptionsList: [Options]? {
    guard case .array(of: .options, let elements) = self else { return nil }
    return elements.compactMap(\.asOptions)
  }
}

extension Value {
  /// The D-Bus type of this value.
  package var type: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .variant: "v"
    case .array(let element, _): "a" + element.text
    case .structure(let members): "(" + members.map(\.type).joined() + ")"
    case .dictionaryEntry(let key, let value): "{" + key.type + value.type + "}"
    }
  }
}

extension Value {
  /// The direct elements; nil for a value that is not a container.
  private var contents: [Value]? {
    switch self {
    case .variant(let value): [value]
    case .array(_, let values), .structure(let values): values
    case .dictionaryEntry(let key, let value): [key, value]
    default: nil
    }
  }

  /// The depth of the innermost value in containers.
  package var depth: Int { contents.map { 1 + ($0.map(\.depth).max() ?? 0) } ?? 0 }

  /// The size in bytes as marshalled, without padding.
  package var byteCount: Int {
    switch self {
    case .byte: 1
    case .int16, .uint16: 2
    case .boolean, .int32, .uint32, .descriptor: 4
    case .int64, .uint64, .double: 8
    case .string(let text): 5 + text.utf8.count
    case .objectPath(let path): 5 + path.text.utf8.count
    case .signature(let signature): 2 + signature.text.utf8.count
    case .variant(let value): 2 + value.type.utf8.count + value.byteCount
    case .array(_, let values): values.reduce(4) { $0 + $1.byteCount }
    case .structure, .dictionaryEntry: (contents ?? []).reduce(0) { $0 + $1.byteCount }
    }
  }

  /// Whether the value contains a file descriptor at any depth.
  package var hasDescriptor: Bool {
    if case .descriptor = self { return true }
    return (contents ?? []).contains(where: \.hasDescriptor)
  }
}
