/// Encoding of user info dictionaries in records.
extension RecordWriter {
  mutating func write(_ values: [String: PlainValue]) {
    write(UInt64(values.count))
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      write(key)
      write(value)
    }
  }

  private mutating func write(_ value: PlainValue) {
    switch value {
    case .string(let text):
      write(PlainValueKind.string.rawValue)
      write(text)
    case .boolean(let flag):
      write(PlainValueKind.boolean.rawValue)
      write(UInt64(flag ? 1 : 0))
    case .integer(let number):
      write(PlainValueKind.integer.rawValue)
      write(number)
    case .double(let number):
      write(PlainValueKind.double.rawValue)
      write(number.bitPattern)
    case .data(let bytes):
      write(PlainValueKind.data.rawValue)
      write(UInt64(bytes.count))
      for byte in bytes { write(UInt64(byte)) }
    case .list(let list):
      write(PlainValueKind.list.rawValue)
      write(UInt64(list.count))
      for element in list { write(element) }
    case .dictionary(let values):
      write(PlainValueKind.dictionary.rawValue)
      write(values)
    }
  }
}

extension RecordReader {
  mutating func plainValues(depth: Int) -> [String: PlainValue] {
    var values: [String: PlainValue] = [:]
    for _ in 0..<count() {
      let key = text() ?? ""
      values[key] = plainValue(depth: depth)
    }
    return values
  }

  /// - Parameter depth: the nesting depth. Invalid bytes cannot exceed the limit either.
  private mutating func plainValue(depth: Int) -> PlainValue {
    switch PlainValueKind(rawValue: number()) {
    case .string?: return .string(text() ?? "")
    case .boolean?: return .boolean(number() != 0)
    case .integer?: return .integer(Int64(bitPattern: number()))
    case .double?: return .double(Double(bitPattern: number()))
    case .data?: return .data((0..<count()).map { _ in UInt8(truncatingIfNeeded: number()) })
    case .list? where depth < PlainValue.deepest:
      return .list((0..<count()).map { _ in plainValue(depth: depth + 1) })
    case .dictionary? where depth < PlainValue.deepest:
      return .dictionary(plainValues(depth: depth + 1))
    case .list?, .dictionary?, nil: return .boolean(false)
    }
  }
}

private enum PlainValueKind: UInt64 {
  case string, boolean, integer, double, list, dictionary, data
}
