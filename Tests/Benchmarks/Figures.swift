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
