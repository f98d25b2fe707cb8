internal import BusContract
internal import Commands
internal import DBus
internal import Glibc
internal import Host

/// Opens that start their application, beside a bare start of the same program that connects to the bus.
@MainActor
enum ColdFigures {
  static func measure(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    var bare: [Double] = []
    var cold: [Double] = []
    for _ in 0..<rounds {
      bare.append(try world.timeToConnect() * 1000)
      do throws(BusError) {
        let start = ContinuousClock.now
        let receipt = try world.connection.callAndWait(Contract.openURL(BenchWorld.onceURL)).first
        cold.append((ContinuousClock.now - start) / .milliseconds(1))
        if let pid = receipt?.asOptions?[Key.pid]?.asUInt32 {
          // It may have ended already.
          _ = try? world.connection.callAndWait(Contract.waitForExit(pid))
        }
      } catch {
        throw CommandFailure(.failed, error.description)
      }
    }
    let (bareFigure, coldFigure) = (Figure(bare), Figure(cold))
    table.add("start of a process that connects to the bus", bareFigure, unit: "ms")
    table.add("OpenURL, cold", coldFigure, unit: "ms", over: bareFigure, "that start")
    table.add(
      "OpenURL, cold, less that start", Figure(median: coldFigure.median - bareFigure.median),
      unit: "ms", aim: 1.5)
  }
}
