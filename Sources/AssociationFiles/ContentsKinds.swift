internal import LaunchRules

/// Checks the kind of each value; a value of another kind is reported and ignored.
extension ContentsReading {
  mutating func wrongKind(
    _ value: JSONValue, _ place: String, _ expected: String,
    _ consequence: String = "it was ignored"
  ) {
    report(.warning, place, "is \(value.kind), but must be \(expected)", consequence)
  }

  mutating func object(_ value: JSONValue, _ place: String) -> [String: JSONValue]? {
    if case .object(let object) = value { return object }
    wrongKind(value, place, "an object")
    return nil
  }

  mutating func list(_ value: JSONValue, _ place: String) -> [JSONValue]? {
    if case .list(let list) = value { return list }
    wrongKind(value, place, "an array")
    return nil
  }

  mutating func text(_ value: JSONValue, _ place: String) -> String? {
    if case .text(let text) = value { return text }
    wrongKind(value, place, "text")
    return nil
  }

  mutating func boolean(
    _ value: JSONValue, _ place: String, _ consequence: String = "it was ignored"
  ) -> Bool? {
    if case .boolean(let boolean) = value { return boolean }
    wrongKind(value, place, "true or false", consequence)
    return nil
  }

  mutating func texts(_ value: JSONValue, _ place: String) -> [String] {
    guard let list = list(value, place) else { return [] }
    return list.enumerated().compactMap { text($1, "\(place)[\($0)]") }
  }
}
