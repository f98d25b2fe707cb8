internal import FoundationEssentials

/// Any JSON value. Of a repeated key the decoder returns only one value.
enum JSONValue: Decodable, Hashable {
  case null
  case boolean(Bool)
  case number
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: Key.self) {
      var values: [String: JSONValue] = [:]
      for key in object.allKeys {
        values[key.stringValue] = try object.decode(JSONValue.self, forKey: key)
      }
      self = .object(values)
    } else if var list = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
      self = .list(values)
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let boolean = try? value.decode(Bool.self) {
        self = .boolean(boolean)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else {
        self = .number
      }
    }
  }

  /// The kind of the value, for a diagnostic.
  var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "true or false"
    case .number: "a number"
    case .text: "text"
    case .list: "an array"
    case .object: "an object"
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
