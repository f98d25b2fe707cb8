internal import BusContract
internal import Commands
internal import DBus
internal import Glibc

/// Calls over the bus, each kind in turn, so that all of them meet the same machine.
@MainActor
enum CallFigures {
  static func measure(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    let query = QueryOptions(actAs: BenchWorld.application)
    var ping: [Double] = []
    var canOpen: [Double] = []
    var open: [Double] = []
    do throws(BusError) {
      for round in -20..<rounds {
        let times = (
          try time(world.connection, Contract.ping()),
          try time(world.connection, Contract.canOpenURL("lsbench:x", query)),
          try time(world.connection, Contract.openURL("lsbench:x"))
        )
        guard round >= 0 else { continue }  // the first start processes and fill caches
        ping.append(times.0)
        canOpen.append(times.1)
        open.append(times.2)
      }
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    let baseline = Figure(ping)
    table.add("Ping", baseline, unit: "µs")
    table.add("CanOpenURL", Figure(canOpen), unit: "µs", over: baseline, "Ping", aim: 1.10)
    table.add("OpenURL, warm", Figure(open), unit: "µs", over: baseline, "Ping", aim: 2.4)
  }

  /// Microseconds until the answer.
  static func time(
    _ connection: Connection, _ message: borrowing Message
  ) throws(BusError) -> Double {
    let start = ContinuousClock.now
    _ = try connection.callAndWait(message)
    return (ContinuousClock.now - start) / .microseconds(1)
  }
}

/// What one caller notices of a handler that hangs and of another caller that floods the daemon with
/// opens for it. The slowest of a hundred opens are as slow as the machine is busy, so quiet and flooded
/// blocks take turns, each flooded one is held against the quiet one before it, and the median of these
/// ratios counts.
@MainActor
enum FloodFigures {
  static func measure(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    // About a second. The flood fills the bus once in two or three, so a block may be spared: compare the
    // p99 of all blocks together as well, which the table has.
    let block = rounds * 4 / 3
    var quiet: [[Double]] = []
    var flooded: [[Double]] = []
    for _ in 0..<max(2, rounds / 300) {
      quiet.append(try opens(world, block))
      let flooder = try world.start("--flood")
      defer { world.stop(flooder) }
      flooded.append(try opens(world, block))
    }
    let ratios = zip(quiet, flooded).map { quiet, flooded in
      (Figure(flooded).percentile99 ?? 0) / (Figure(quiet).percentile99 ?? 1)
    }
    table.add("OpenURL, warm, quiet", Figure(quiet.flatMap(\.self)), unit: "µs")
    table.add(
      "OpenURL, warm, while another caller floods a hung handler",
      Figure(flooded.flatMap(\.self)), unit: "µs", ratio: Figure(ratios).median,
      "quiet, p99, median of \(ratios.count) blocks", aim: 2)
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

/// Whole commands, from their start to their end, in turn.
@MainActor
enum CommandFigures {
  static func measure(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    guard unsafe access("/usr/bin/dbus-send", X_OK) == 0 else {
      throw CommandFailure(
        .noSuchFile, "dbus-send is missing; install the package dbus-bin or dbus")
    }
    // dbus-send cannot write the a{sv} of CanOpenURL; this call finds out who asks and looks the
    // scheme up all the same.
    let dbusSend = [
      "--session", "--print-reply", "--dest=\(Contract.busName)", "\(Contract.objectPath)",
      "\(Contract.registry).DefaultHandler", "string:lsbench",
    ]
    var baseline: [Double] = []
    var lsopen: [Double] = []
    for _ in 0..<rounds {
      baseline.append(try world.time("/usr/bin/dbus-send", dbusSend) * 1000)
      lsopen.append(
        try world.time(world.products + "/lsopen", ["--can-open", "https://example.com"]) * 1000)
    }
    let send = Figure(baseline)
    table.add("dbus-send, DefaultHandler", send, unit: "ms")
    table.add(
      "lsopen --can-open", Figure(lsopen), unit: "ms", over: send, "dbus-send", aim: 1.5)
  }
}
