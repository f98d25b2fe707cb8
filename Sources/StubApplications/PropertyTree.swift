package import FoundationEssentials
internal import Synchronization

/// Any value of a property list or of JSON.
package indirect enum PropertyTree: Hashable, Sendable {
  case string(String)
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case date(Date)
  case data(Data)
  /// Of JSON only.
  case null
  case array([PropertyTree])
  case dictionary([String: PropertyTree])

  package var asString: String? { if case .string(let text) = self { text } else { nil } }
  package var asBoolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
  package var asArray: [PropertyTree]? { if case .array(let list) = self { list } else { nil } }
  package var asDictionary: [String: PropertyTree]? {
    if case .dictionary(let entries) = self { entries } else { nil }
  }

  /// The type of the value in messages.
  package var kind: String {
    switch self {
    case .string: "text"
    case .boolean: "true or false"
    case .integer, .double: "a number"
    case .date: "a date"
    case .data: "data"
    case .null: "null"
    case .array: "an array"
    case .dictionary: "a dictionary"
    }
  }
}

extension PropertyTree {
  /// A property list whose references would make an endless or a very large tree.
  package struct TooLarge: Error, CustomStringConvertible {
    package let description: String
  }

  /// Counts the values of a property list while its tree is built. In a binary property list, an array may contain itself,
  /// and many arrays may share one.
  private final class Size: Sendable {
    static let key = CodingUserInfoKey(rawValue: "size")!
    /// Far more than the property list of an application has.
    static let mostValues = 100_000
    static let deepest = 512

    private struct Count {
      var excess: TooLarge?
      var values = 0
      var depth = 0
    }

    private let count = Mutex(Count())

    var excess: TooLarge? { count.withLock { $0.excess } }

    func enter() throws(TooLarge) {
      let excess = count.withLock { count in
        count.values += 1
        count.depth += 1
        if count.depth > Self.deepest {
          count.excess = TooLarge(
            description: "its arrays and dictionaries are nested more than \(Self.deepest) deep, "
              + "or one of them contains itself")
        } else if count.values > Self.mostValues {
          count.excess = TooLarge(
            description:
              "it has more than \(Self.mostValues) values when those that are used several"
              + " times are counted each time")
        }
        return count.excess
      }
      if let excess { throw excess }
    }

    func leave() { count.withLock { $0.depth -= 1 } }
  }
}

extension PropertyTree: Codable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    let size = decoder.userInfo[Size.key] as? Size
    try size?.enter()
    defer { size?.leave() }
    if let container = try? decoder.container(keyedBy: Key.self) {
      var entries: [String: PropertyTree] = [:]
      for key in container.allKeys {
        entries[key.stringValue] = try container.decode(PropertyTree.self, forKey: key)
      }
      self = .dictionary(entries)
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var list: [PropertyTree] = []
      while !container.isAtEnd { list.append(try container.decode(PropertyTree.self)) }
      self = .array(list)
      return
    }
    let container = try decoder.singleValueContainer()
    // JSON has no data and no dates; its decoder would take a text for data in Base64.
    let isJSON = decoder.userInfo[Self.jsonKey] != nil
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .boolean(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .double(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if !isJSON, let data = try? container.decode(Data.self) {
      self = .data(data)
    } else if !isJSON, let date = try? container.decode(Date.self) {
      self = .date(date)
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "the value has an unknown type")
    }
  }

  private static let jsonKey = CodingUserInfoKey(rawValue: "isJSON")!

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .array(let list):
      var container = encoder.unkeyedContainer()
      for value in list { try container.encode(value) }
      return
    case .dictionary(let entries):
      var container = encoder.container(keyedBy: Key.self)
      for (name, value) in entries { try container.encode(value, forKey: Key(stringValue: name)) }
      return
    default: break
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let text): try container.encode(text)
    case .boolean(let flag): try container.encode(flag)
    case .integer(let number): try container.encode(number)
    case .double(let number): try container.encode(number)
    case .date(let date): try container.encode(date)
    case .data(let data): try container.encode(data)
    case .null: try container.encodeNil()
    case .array, .dictionary: break
    }
  }

  /// - Throws: `DecodingError`.
  package init(json: Data) throws {
    let decoder = JSONDecoder()
    decoder.userInfo = [Self.jsonKey: true]
    self = try decoder.decode(PropertyTree.self, from: json)
  }

  /// Reads a property list of any form. Pass only bytes that `HostileInput` has admitted.
  /// - Throws: `DecodingError`; `TooLarge`.
  package init(propertyList: Data) throws {
    let size = Size()
    let decoder = PropertyListDecoder()
    decoder.userInfo = [Size.key: size]
    do {
      self = try decoder.decode(PropertyTree.self, from: propertyList)
    } catch {
      // The decoder may wrap the error.
      throw size.excess ?? error
    }
  }

  /// XML. The tree must not contain `null`.
  package func xml() throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    return try encoder.encode(self)
  }
}
