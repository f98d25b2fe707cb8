internal import BusContract
internal import Commands
internal import DBus
internal import Glibc
internal import Host

/// Instructions of a daemon that runs in valgrind, which needs no counters of the processor.
@MainActor
struct Callgrind {
  /// The command that runs a program in valgrind, which cannot read what Swift says for debuggers.
  static func command(_ program: String, in folder: String) throws(CommandFailure) -> [String] {
    let copy = folder + "/stripped"
    try run("/usr/bin/strip", ["--strip-debug", "-o", copy, program])
    return [
      "/usr/bin/valgrind", "--quiet", "--tool=callgrind",
      "--callgrind-out-file=\(folder)/callgrind", copy,
    ]
  }

  let world: BenchWorld
  private var dumps = 0

  init(_ world: BenchWorld) { self.world = world }

  /// For one call.
  mutating func instructions(_ message: () -> Message) throws(CommandFailure) -> Double {
    let rounds = 200
    _ = try dump()
    do throws(BusError) {
      for _ in 0..<rounds { _ = try world.connection.callAndWait(message()) }
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    return try dump() / Double(rounds)
  }

  /// - Returns: how many there were since the last time.
  private mutating func dump() throws(CommandFailure) -> Double {
    try Self.run("/usr/bin/callgrind_control", ["--dump", "\(world.daemon)"])
    dumps += 1
    let file = "\(world.folder)/callgrind.\(dumps)"
    let bytes = (try? RegularFile.read(file, atMost: 1 << 26).bytes) ?? []
    let totals = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .last { $0.hasPrefix("totals:") }
    guard let count = totals?.split(separator: " ").last.flatMap({ Double($0) }) else {
      throw CommandFailure(.failed, "callgrind did not write \(file)")
    }
    return count
  }

  private static func run(_ tool: String, _ arguments: [String]) throws(CommandFailure) {
    do throws(SpawnError) {
      let pid = try spawn(
        Launch(
          executable: tool, arguments: arguments, standardOutput: .nothing, standardError: .nothing)
      )
      waitpid(pid, nil, 0)
    } catch {
      throw CommandFailure(.noSuchFile, "install the packages binutils and valgrind: \(error)")
    }
  }
}
