internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import Host

/// What the applications of a desktop cost the daemon: the time of a start and the memory of an idle daemon, with 300
/// desktop entries and without.
@MainActor
enum EntryFigures {
  private static let count = 300
  /// The environment variable with a folder of desktop entries, as for `DesktopImportTests`.
  private static let variable = "LAUNCH_SERVICES_DESKTOP_CORPUS"
  /// - Parameters:
  ///   - rounds: of starts.
  ///   - memoryRounds: each takes as long as the daemon needs to be idle.
  static func measure(
    rounds: Int, memoryRounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    let name = "\(count) desktop entries"
    guard let entries = entries() else {
      table.add(
        "start, \(name)",
        missing: "needs \(variable), a folder that Tests/desktop-entries has filled")
      return
    }
    let (with, without) = (
      try StartWorld(0, .loose, entries: entries), try StartWorld(0, .loose)
    )
    defer { for world in [with, without] { world.end() } }
    var registered: [Int] = []
    for world in [with, without] {
      _ = try world.start()
      // Both have one of their own, so that both have read all.
      try world.addEntry(claiming: "lsbench-entry")
      registered.append(try world.applications())
      try world.stop()
    }
    // Some entries are hidden, or have no program on this machine.
    table.add(
      "applications of \(name)", Figure(median: Double(registered[0] - registered[1])),
      unit: "of them")
    try measureStarts(with, without, rounds, name, into: &table)
    guard memoryRounds > 0 else { return }
    var more: [Double] = []
    for _ in 0..<memoryRounds {
      let memory = try idleMemory([with, without])
      more.append(memory[0] - memory[1])
    }
    table.add(
      "resident memory when idle, \(name), above without", Figure(more), unit: "MiB", aim: 1)
  }

  private static func measureStarts(
    _ with: StartWorld, _ without: StartWorld, _ rounds: Int, _ name: String,
    into table: inout Table
  ) throws(CommandFailure) {
    var times: [[Double]] = [[], []]
    var cold: [Double] = []
    for _ in 0..<rounds {
      for (index, world) in [with, without].enumerated() {
        times[index].append(try world.startUntilAnswer())
        try world.stop()
      }
    }
    for _ in 0..<min(rounds, 3) {
      with.forget()
      cold.append(try with.startUntilAnswer())
      try with.stop()
    }
    let figures = times.map(Figure.init)
    table.add("start until an answer, 1 desktop entry, cached", figures[1], unit: "ms")
    table.add(
      "start until an answer, \(name), cached", figures[0], unit: "ms", over: figures[1], "1 entry")
    table.add(
      "the same, above 1 entry", Figure(median: figures[0].median - figures[1].median),
      unit: "ms", aim: 15)
    table.add("start until an answer, \(name), nothing cached", Figure(cold), unit: "ms")
  }

  /// Of each daemon, in MiB. All are idle at the same time.
  private static func idleMemory(_ worlds: [StartWorld]) throws(CommandFailure) -> [Double] {
    for world in worlds { _ = try world.startUntilAnswer() }
    sleep(BenchWorld.secondsUntilIdle)
    var memory: [Double] = []
    for world in worlds {
      memory.append(try world.memory() / 1024)
      try world.stop()
    }
    return memory
  }

  /// The paths of the entries; nil without a folder that has enough of them.
  private static func entries() -> [String]? {
    guard let folder = ProcessArguments.environment(variable),
      let names = try? FolderListing(of: folder).names
    else { return nil }
    // Packages of KDE have entries of services, too.
    let entries = names.lazy.filter { $0.hasSuffix(".desktop") }.map { "\(folder)/\($0)" }
      .filter { path in
        let bytes = try? RegularFile.read(path, atMost: 1 << 20).bytes
        return String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n")
          .contains("Type=Application")
      }.prefix(count)
    return entries.count == count ? Array(entries) : nil
  }
}
