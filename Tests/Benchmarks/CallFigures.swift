internal import BusContract
internal import Commands
internal import DBus

/// Calls over the bus and directly, the kinds of a group in turn, so that all of them meet the same machine.
@MainActor
enum CallFigures {
  static func measure(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    let query = QueryOptions(actAs: BenchWorld.application)
    let url = "lsbench:x"
    let bus = world.connection
    let direct = try world.directConnection()
    let figures = try alternating(
      [bus, direct].flatMap { connection in
        [
          (connection, Contract.ping),
          (connection, { Contract.canOpenURL(url, query) }),
          (connection, { Contract.openURL(url) }),
        ]
      }, rounds)
    let ping = figures[0]
    table.add("Ping", ping, unit: "µs")
    table.add("CanOpenURL", figures[1], unit: "µs", over: ping, "Ping", aim: 1.05)
    table.add("OpenURL, warm", figures[2], unit: "µs", over: ping, "Ping", aim: 2.2)
    table.add("Ping, direct", figures[3], unit: "µs", over: ping, "Ping")
    table.add("CanOpenURL, direct", figures[4], unit: "µs", over: ping, "Ping", aim: 0.4)
    table.add("OpenURL, warm, direct", figures[5], unit: "µs", over: ping, "Ping")
    // Apart from the others: another application comes to the front, and both are told.
    for (name, urls) in [
      ("handler on the bus", [BenchWorld.busURL]),
      ("each of another application than the last", [url, BenchWorld.busURL]),
    ] {
      let figures = try alternating(
        [(bus, Contract.ping)] + urls.map { url in (bus, { Contract.openURL(url) }) }, rounds)
      table.add(
        "OpenURL, warm, \(name)", figures[1], unit: "µs", over: figures[0], "Ping beside it")
    }
    try measureInFlight(world, rounds: rounds, into: &table)
  }

  static func alternating(
    _ kinds: [(connection: Connection, message: () -> Message)], _ rounds: Int
  ) throws(CommandFailure) -> [Figure] {
    var times = [[Double]](repeating: [], count: kinds.count)
    do throws(BusError) {
      for round in -20..<rounds {
        for (index, kind) in kinds.enumerated() {
          let time = try time(kind.connection, kind.message())
          // The first start processes and fill caches.
          if round >= 0 { times[index].append(time) }
        }
      }
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    return times.map { Figure($0) }
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
