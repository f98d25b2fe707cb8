/// A value of a user-info: what property lists and D-Bus both have.
package indirect enum PlainValue: Hashable, Sendable, Codable {
  case string(String)
  case boolean(Bool)
  case integer(Int64)
  /// Finite.
  case double(Double)
  case list([PlainValue])
  case dictionary([String: PlainValue])

  /// Containers around the innermost value of a user-info.
  package static let deepest = 8
  /// Of the user-info of one quick action, about in bytes.
  package static let largest = 4096

  /// About in bytes.
  package var size: Int {
    switch self {
    case .string(let text): text.utf8.count + 4
    case .boolean, .integer, .double: 8
    case .list(let list): list.reduce(4) { $0 + $1.size }
    case .dictionary(let dictionary):
      dictionary.reduce(4) { $0 + $1.key.utf8.count + 4 + $1.value.size }
    }
  }
}
