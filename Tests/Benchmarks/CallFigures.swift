internal import BusContract
internal import Commands
internal import DBus

/// Calls over the bus and directly, each kind in turn, so that all of them meet the same machine.
@MainActor
enum CallFigures {
  static func measure(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    let query = QueryOptions(actAs: BenchWorld.application)
    let url = "lsbench:x"
    var kinds: [(connection: Connection, message: () -> Message, times: [Double])] = []
    for connection in [world.connection, try world.directConnection()] {
      kinds.append((connection, Contract.ping, []))
      kinds.append((connection, { Contract.canOpenURL(url, query) }, []))
      kinds.append((connection, { Contract.openURL(url) }, []))
    }
    kinds.append((world.connection, { Contract.openURL(BenchWorld.busURL) }, []))
    do throws(BusError) {
      for round in -20..<rounds {
        for index in kinds.indices {
          let time = try time(kinds[index].connection, kinds[index].message())
          // The first start processes and fill caches.
          if round >= 0 { kinds[index].times.append(time) }
        }
      }
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    let figures = kinds.map { Figure($0.times) }
    let (ping, direct) = (figures[0], figures[3])
    table.add("Ping", ping, unit: "µs")
    table.add("CanOpenURL", figures[1], unit: "µs", over: ping, "Ping", aim: 1.05)
    table.add("OpenURL, warm", figures[2], unit: "µs", over: ping, "Ping", aim: 2.2)
    table.add(
      "OpenURL, warm, handler on the bus", figures[6], unit: "µs", over: ping, "Ping")
    table.add("Ping, direct", direct, unit: "µs", over: ping, "Ping")
    table.add("CanOpenURL, direct", figures[4], unit: "µs", over: ping, "Ping", aim: 0.4)
    table.add("OpenURL, warm, direct", figures[5], unit: "µs", over: ping, "Ping")
    try measureInFlight(world, rounds: rounds, into: &table)
  }

  /// Microseconds until the answer.
  static func time(
    _ connection: Connection, _ message: borrowing Message
  ) throws(BusError) -> Double {
    let start = ContinuousClock.now
    _ = try connection.callAndWait(message)
    return (ContinuousClock.now - start) / .microseconds(1)
  }

  /// What one of several calls costs that are sent together: the daemon answers them in their order.
  private static func measureInFlight(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    let query = QueryOptions(actAs: BenchWorld.application)
    let direct = try world.directConnection()
    for (name, connection) in [("", world.connection), (", direct", direct)] {
      var one: Figure?
      for count in [1, 8, 64] {
        var times: [Double] = []
        for _ in 0..<max(10, rounds / count) {
          let start = ContinuousClock.now
          for _ in 1..<count { connection.send(Contract.canOpenURL("lsbench:x", query)) }
          do throws(BusError) {
            _ = try connection.callAndWait(
              Contract.canOpenURL("lsbench:x", query), milliseconds: nil, answering: { _, _ in })
          } catch {
            throw CommandFailure(.failed, error.description)
          }
          times.append((ContinuousClock.now - start) / .microseconds(count))
        }
        let figure = Figure(times)
        table.add(
          "CanOpenURL\(name), each of \(count) in flight", figure, unit: "µs",
          ratio: one.map { figure.median / $0.median }, one.map { _ in "1 in flight" })
        one = one ?? figure
      }
    }
  }
}
