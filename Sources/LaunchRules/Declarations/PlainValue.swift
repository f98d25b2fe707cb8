/// A value of a user info dictionary, limited to types that property lists and D-Bus both support.
package indirect enum PlainValue: Hashable, Sendable, Codable {
  case string(String)
  case boolean(Bool)
  case integer(Int64)
  /// A finite number.
  case double(Double)
  case data([UInt8])
  case list([PlainValue])
  case dictionary([String: PlainValue])

  /// Maximum nesting depth of containers in a user info dictionary.
  package static let deepest = 8
  /// Maximum size of the user info dictionary of a quick action, approximately in bytes.
  package static let largest = 4096

  /// Approximate size in bytes.
  package var size: Int {
    switch self {
    case .string(let text): text.utf8.count + 4
    case .boolean, .integer, .double: 8
    case .data(let bytes): bytes.count + 4
    case .list(let list): list.reduce(4) { $0 + $1.size }
    case .dictionary(let dictionary):
      dictionary.reduce(4) { $0 + $1.key.utf8.count + 4 + $1.value.size }
    }
  }
}
