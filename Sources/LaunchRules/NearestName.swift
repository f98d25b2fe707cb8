/// Finds the intended name of a misspelt name.
package enum NearestName {
  /// The most similar name; at most a quarter of the characters differ, ignoring case. Nil when there is
  /// none, or more than one.
  /// - Parameter most: the largest number of characters that may differ.
  package static func of(
    _ name: String, among names: [String], atMost most: Int = .max
  ) -> String? {
    let longest = 64
    guard name.utf8.count <= longest else { return nil }
    let distances = names.map { ($0, distance(name, $0)) }
    guard let least = distances.map(\.1).min(), least <= min(most, name.utf8.count / 4) else {
      return nil
    }
    let nearest = distances.filter { $0.1 == least }
    return nearest.count == 1 ? nearest[0].0 : nil
  }

  /// The number of insertions, removals and replacements (Levenshtein distance).
  private static func distance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.lowercased()), Array(second.lowercased()))
    var row = Array(0...second.count)
    for (line, character) in first.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, other) in second.enumerated() {
        let replaced = diagonal + (character == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[second.count]
  }
}
