internal import BusContract
internal import Commands
internal import DBus
internal import Glibc
internal import Host

/// Instructions of the daemon outside the kernel, as the counters of the processor say, which virtual
/// machines often do not have, or valgrind.
@MainActor
enum InstructionFigures {
  static func measure(
    _ world: BenchWorld, usingCallgrind: Bool, into table: inout Table
  ) throws(CommandFailure) {
    let query = QueryOptions(actAs: BenchWorld.application)
    let calls: [(String, () -> Message)] = [
      ("Ping", Contract.ping), ("CanOpenURL", { Contract.canOpenURL("lsbench:x", query) }),
      ("OpenURL, warm", { Contract.openURL("lsbench:x") }),
    ]
    guard !usingCallgrind else {
      let slow = try BenchWorld(usingCallgrind: true)
      defer { slow.end() }
      var callgrind = Callgrind(slow)
      // valgrind 3.19 has no pidfd_open, without which no application is started.
      for (name, message) in calls.dropLast() {
        // The first time caches are filled.
        _ = try callgrind.instructions(message)
        table.add(
          "instructions of the daemon, \(name), by callgrind",
          Figure(median: try callgrind.instructions(message) / 1000), unit: "thousand")
      }
      return
    }
    for (name, message) in calls {
      let work = "instructions of the daemon, \(name)"
      guard let count = try instructions(world, message) else {
        table.add(work, missing: "not available here")
        continue
      }
      table.add(work, Figure(median: count / 1000), unit: "thousand")
    }
  }

  /// For one call; nil where they cannot be counted.
  private static func instructions(
    _ world: BenchWorld, _ message: () -> Message
  ) throws(CommandFailure) -> Double? {
    let file = world.folder + "/instructions"
    let rounds = 1000
    let arguments = [
      "stat", "-x", ";", "-e", "instructions:u", "-p", "\(world.daemon)", "-o", file,
    ]
    guard
      let perf = try? spawn(
        Launch(
          executable: "/usr/bin/perf", arguments: arguments, standardOutput: .nothing,
          standardError: .nothing))
    else { return nil }
    usleep(200_000)  // until it counts
    do throws(BusError) {
      for _ in 0..<rounds { _ = try world.connection.callAndWait(message()) }
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    kill(perf, SIGINT)
    waitpid(perf, nil, 0)
    let bytes = (try? RegularFile.read(file, atMost: 65536).bytes) ?? []
    let count = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.contains("instructions") }?.split(separator: ";").first.flatMap { Double($0) }
    return count.map { $0 / Double(rounds) }
  }
}
