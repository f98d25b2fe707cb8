internal import Commands
internal import FoundationEssentials

/// Median, 99th percentile and maximum of what was measured.
struct Figure: Codable {
  var median: Double
  var percentile99: Double?
  var worst: Double?

  init(median: Double) { self.median = median }

  init(_ samples: [Double]) {
    let sorted = samples.sorted()
    median = sorted[sorted.count / 2]
    percentile99 = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
    worst = sorted.last
  }
}

/// The rows that were measured.
struct Table {
  private struct Row: Codable {
    var work: String
    /// Nil when it could not be measured.
    var figure: Figure?
    var unit: String
    var baseline: String?
    var ratio: Double?
    /// For the ratio, or else for the median.
    var aim: Double?
  }

  private var rows: [Row] = []
  var isEmpty: Bool { rows.isEmpty }

  mutating func add(
    _ work: String, _ figure: Figure, unit: String, ratio: Double? = nil, _ baseline: String? = nil,
    aim: Double? = nil
  ) {
    rows.append(
      Row(work: work, figure: figure, unit: unit, baseline: baseline, ratio: ratio, aim: aim))
  }

  /// - Parameter why: stands in the place of the figure.
  mutating func add(_ work: String, missing why: String) {
    rows.append(Row(work: work, unit: why))
  }

  /// The ratio is that of the medians.
  mutating func add(
    _ work: String, _ figure: Figure, unit: String, over baseline: Figure, _ name: String,
    aim: Double? = nil
  ) {
    add(work, figure, unit: unit, ratio: figure.median / baseline.median, name, aim: aim)
  }

  var markdown: [String] {
    ["| work | p50 | p99 | beside | ratio of p50 | aim |", "|---|---|---|---|---|---|"]
      + rows.map { row in
        let p50 = row.figure.map { "\(Self.number($0.median)) \(row.unit)" } ?? row.unit
        let p99 = row.figure?.percentile99.map { "\(Self.number($0)) \(row.unit)" } ?? ""
        let cells = [
          row.work, p50, p99, row.baseline ?? "",
          row.ratio.map(Self.number) ?? "", aim(of: row),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
      }
  }

  private func aim(of row: Row) -> String {
    guard let aim = row.aim, let reached = row.ratio ?? row.figure?.median else { return "" }
    let unit = row.ratio == nil ? " \(row.unit)" : ""
    return "≤ \(Self.number(aim))\(unit)"
      + ((reached * 100).rounded() <= (aim * 100).rounded() ? "" : ", missed")
  }

  var json: [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let data = try? encoder.encode(rows) else { return [] }
    return [String(decoding: data, as: UTF8.self)]
  }

  /// Two digits after the point.
  static func number(_ value: Double) -> String {
    let hundredths = Int((abs(value) * 100).rounded())
    let sign = value < 0 && hundredths > 0 ? "-" : ""
    let fraction = hundredths % 100
    return sign + "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
