/// Rows of text as lines whose columns stand below each other.
package enum Columns {
  /// Columns are two spaces apart. The last cell of a row is not filled up.
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
