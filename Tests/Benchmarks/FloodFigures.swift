internal import BusContract
internal import Commands
internal import DBus
internal import Host

/// What one caller notices of a handler that hangs and of another caller that floods the daemon with
/// opens for it, and of a remote that sends very many opens. The slowest of a hundred opens are as slow as the machine is
/// busy, so quiet and flooded blocks take turns, each flooded one is held against the quiet one before it, and the median
/// of these ratios counts.
@MainActor
enum FloodFigures {
  private static let floods = [
    (
      Flood(kind: .hungOpens, transport: .bus, processes: 1),
      "OpenURL, warm, while another caller floods a hung handler"
    ),
    (
      Flood(kind: .remoteOpens, transport: .remote, processes: 1),
      "OpenURL, warm, while a remote sends 10,000 opens at a time"
    ),
  ]

  /// Measures in a world of its own.
  static func measure(rounds: Int, into table: inout Table) throws(CommandFailure) {
    let world = try BenchWorld()
    defer { world.end() }
    try measure(world, rounds: rounds, into: &table)
  }

  static func measure(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    try world.addRemote()
    // About a second. The flood fills the bus once in two or three, so a block may be spared: compare the
    // p99 of all blocks together as well, which the table has.
    let block = rounds * 4 / 3
    var quiet: [[Double]] = []
    var flooded = [[[Double]]](repeating: [], count: floods.count)
    for _ in 0..<max(2, rounds / 300) {
      quiet.append(try opens(world, block))
      for (index, flood) in floods.enumerated() {
        let flooder = try world.start(
          "lsbench", flood.0.arguments(isQuick: false) ?? [], standardOutput: .nothing)
        defer { world.stop(flooder) }
        flooded[index].append(try opens(world, block))
      }
    }
    table.add("OpenURL, warm, quiet", Figure(quiet.flatMap(\.self)), unit: "µs")
    for (flood, blocks) in zip(floods, flooded) {
      let ratios = zip(quiet, blocks).map { quiet, flooded in
        (Figure(flooded).percentile99 ?? 0) / (Figure(quiet).percentile99 ?? 1)
      }
      table.add(
        flood.1, Figure(blocks.flatMap(\.self)), unit: "µs", ratio: Figure(ratios).median,
        "quiet, p99, median of \(ratios.count) blocks", aim: 2)
    }
  }

  /// The first ones, which see the flood come or go, do not count.
  private static func opens(_ world: BenchWorld, _ count: Int) throws(CommandFailure) -> [Double] {
    do throws(BusError) {
      var times: [Double] = []
      for round in -100..<count {
        let time = try CallFigures.time(world.connection, Contract.openURL("lsbench:x"))
        if round >= 0 { times.append(time) }
      }
      return times
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }
}
