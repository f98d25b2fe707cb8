internal import BusContract
internal import Commands
internal import DBus

/// What one caller notices of a handler that hangs and of another caller that floods the daemon with
/// opens for it.
@MainActor
enum FloodFigures {
  static func measure(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    let quiet = try opens(world, rounds)
    let flooder = try world.start("--flood")
    defer { world.stop(flooder) }
    let flooded = try opens(world, rounds)
    let baseline = Figure(quiet)
    table.add("OpenURL, warm, quiet", baseline, unit: "µs")
    table.add(
      "OpenURL, warm, while another caller floods a hung handler", Figure(flooded), unit: "µs",
      over: baseline, "quiet, p99", aim: 2, comparesPercentile99: true)
  }

  private static func opens(_ world: BenchWorld, _ rounds: Int) throws(CommandFailure) -> [Double] {
    do throws(BusError) {
      var times: [Double] = []
      for _ in 0..<rounds {
        times.append(try CallFigures.time(world.connection, Contract.openURL("lsbench:x")))
      }
      return times
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }
}
