/// The `request-id` of one part of a call that opens documents: the identifier of the call, and the indices
/// of the part's documents in the call.
package enum PartName {
  package static func text(_ places: [Int], of id: String) -> String {
    prefix(of: id) + places.map(String.init).joined(separator: ",")
  }

  /// The common prefix of the names of all parts.
  package static func prefix(of id: String) -> String { id + "#" }

  /// Nil when the text is not the name of a part of this call.
  package static func places(in text: String, of id: String) -> [Int]? {
    let prefix = prefix(of: id)
    guard text.hasPrefix(prefix) else { return nil }
    let places = text.dropFirst(prefix.count).split(
      separator: ",", omittingEmptySubsequences: false
    )
    .map { Int($0) ?? -1 }
    return places.allSatisfy { $0 >= 0 } ? places : nil
  }
}
