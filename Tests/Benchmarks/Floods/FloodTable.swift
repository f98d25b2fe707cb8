internal import Commands
internal import FoundationEssentials

/// What floods did to a bystander, and what they cost the daemon.
struct FloodTable {
  private var runs: [FloodRun] = []

  @MainActor
  init(isQuick: Bool, isWanted: (String) -> Bool) throws(CommandFailure) {
    for flood in Flood.all(isQuick: isQuick) where isWanted("floods \(flood.name)") {
      runs.append(try FloodRun(flood, isQuick: isQuick))
    }
  }

  var isEmpty: Bool { runs.isEmpty }

  var markdown: [String] {
    [
      "",
      "| flood | what a bystander does | p50 | p99 | worst | quiet: p50 | p99 | worst | p99 to quiet | failed | missed |",
      "|---|---|---|---|---|---|---|---|---|---|---|",
    ] + runs.flatMap { run in run.notices.map { row(run.flood, $0) } } + [
      "",
      "| flood | daemon: MiB, quiet | most | 10 s after | descriptors, quiet | most | 10 s after | processor in those 10 s | missed | remark |",
      "|---|---|---|---|---|---|---|---|---|---|",
    ] + runs.map(row)
  }

  var json: [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let data = try? encoder.encode(runs) else { return [] }
    return [String(decoding: data, as: UTF8.self)]
  }

  private func row(_ flood: Flood, _ notice: FloodRun.Notice) -> String {
    let (flooded, quiet) = (notice.flooded, notice.quiet)
    let (tail, quietTail) = (flooded.percentile99 ?? 0, quiet.percentile99 ?? 0)
    let ratio = tail / max(quietTail, 0.001)
    var missed: [String] = []
    if notice.act.isOfDaemon {
      if ratio > 2, tail > 5 { missed.append("p99") }
      if flooded.worst ?? 0 > 50 { missed.append("worst") }
      if notice.failures > 0 { missed.append("failed: \(notice.failure ?? "")") }
    }
    let times = [
      flooded.median, tail, flooded.worst ?? 0, quiet.median, quietTail, quiet.worst ?? 0,
    ]
    return line(
      [flood.name, notice.act.rawValue] + times.map { "\(Table.number($0)) ms" } + [
        Table.number(ratio), "\(notice.failures) of \(notice.count)",
        missed.joined(separator: ", "),
      ])
  }

  private func row(_ run: FloodRun) -> String {
    var missed: [String] = []
    if run.flooded.peak > run.flood.mostMemory {
      missed.append("most MiB, ≤ \(Int(run.flood.mostMemory))")
    }
    // What the quiet daemon had may have been at rest.
    if run.after.memory > run.quiet.memory + 2 { missed.append("MiB after") }
    if run.after.descriptors > run.quiet.descriptors { missed.append("descriptors after") }
    return line(
      [run.flood.name]
        + [run.quiet.memory, run.flooded.peak, run.after.memory].map(Table.number)
        + [run.quiet.descriptors, run.mostDescriptors, run.after.descriptors].map(String.init)
        + ["\(Table.number(run.workAfter)) s", missed.joined(separator: ", "), run.remark])
  }

  private func line(_ cells: [String]) -> String {
    let cells = cells.map { $0.split(separator: "|").joined(separator: "/") }
    return "| " + cells.joined(separator: " | ") + " |"
  }
}
