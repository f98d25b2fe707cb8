/// Formats rows of text as aligned columns.
package enum Columns {
  /// Columns are separated by two spaces. The last cell of a row is not padded.
  package static func lines(_ rows: [[String]]) -> [String] {
    let rows = rows.map { $0.map(\.visible) }
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count - 1 ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: max(0, widths[column] - cell.count))
      }.joined(separator: "  ")
    }
  }
}
