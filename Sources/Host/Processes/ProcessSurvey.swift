internal import Glibc
package import LaunchRules

/// The processes of this machine, as far as one of them may have started a process that has lost its parent.
///
/// All are read at once, and only when what was read before is of no use, because each caller may make it be read.
package final class ProcessSurvey {
  private struct Entry {
    let process: ProcessDetails
    /// The names of the program.
    let names: [String]
  }

  /// Nil when there are too many, or they cannot be listed.
  private var entries: [Entry]?
  /// When they were read last, in microseconds since the machine started.
  private var begin: UInt64?
  /// For how long they were read, in microseconds, less a part of the time that has passed.
  private var load: UInt64 = 0
  /// When that was reckoned last.
  private var settled: UInt64 = 0

  private static let mostProcesses = 4096
  /// Of the names of the programs that one process is told of.
  private static let mostBytes = 64 << 10
  /// In microseconds. They are read at once for that long, and for a part of the time when that is used up.
  private static let mostLoad: UInt64 = 200_000
  private static let part: UInt64 = 10

  package init() {}

  /// Where the chain of processes begins that led to the first one.
  /// - Parameter lineage: the process and those above it, nearest first.
  package func start(of lineage: [ProcessDetails]) -> WebOrigin.Start {
    guard let place = StartChain.adopted(in: lineage.map(StartChain.Link.init)) else {
      return lineage.isEmpty ? .unknown : .terminal
    }
    let adopted = lineage[place]
    let group = adopted.controlGroup ?? Self.controlGroup(of: adopted)
    // The daemon had it started, and no page.
    if let unit = group?.split(separator: "/").last, ApplicationUnit.isOurs(String(unit)) {
      return .adopted(among: [])
    }
    if !holdsStarter(of: adopted) {
      guard mayRead() else { return .unknown }
      read()
    }
    guard let entries else { return .unknown }
    var names: Set<String> = []
    for entry in entries {
      let other = entry.process
      guard other.startTime <= adopted.startTime, other.pid != adopted.pid else { continue }
      // Where no control group is known, it may be the same.
      guard
        other.session == adopted.session || group == nil || other.controlGroup == nil
          || group == other.controlGroup
      else { continue }
      names.formUnion(entry.names)
    }
    guard names.reduce(0, { $0 + $1.utf8.count }) <= Self.mostBytes else { return .unknown }
    return .adopted(among: names.sorted())
  }

  /// Of one that is above another: theirs are not read with the lineage.
  private static func controlGroup(of process: ProcessDetails) -> String? {
    guard let details = ProcessDetails(of: process.pid), details.startTime == process.startTime
    else { return nil }
    return details.controlGroup
  }

  /// Whoever has started it, ran when all were read, or had ended.
  private func holdsStarter(of process: ProcessDetails) -> Bool {
    guard let begin, entries != nil else { return false }
    let tick = 1_000_000 / UInt64(sysconf(Int32(_SC_CLK_TCK)))
    return process.startedAt + tick < begin
  }

  /// False when whoever makes all be read again and again has used up the time for that.
  private func mayRead() -> Bool {
    let now = Time.microsecondsSinceBoot()
    load -= min(load, (now - settled) / Self.part)
    settled = now
    return load < Self.mostLoad
  }

  private func read() {
    let begin = Time.microsecondsSinceBoot()
    self.begin = begin
    defer { load += Time.microsecondsSinceBoot() - begin }
    entries = nil
    guard let names = try? FolderListing(of: "/proc", isSorted: false).names else { return }
    let pids = names.compactMap { Int32($0) }
    guard pids.count <= Self.mostProcesses else { return }
    entries = pids.compactMap { pid in
      guard let process = ProcessDetails(of: pid), !process.isThreadOfKernel else { return nil }
      let program = process.executable?.name
      return Entry(
        process: process,
        names: [process.name] + (program == process.name ? [] : [program].compactMap { $0 }))
    }
  }
}

extension ProcessDetails {
  fileprivate var isThreadOfKernel: Bool {
    let parentOfAll: Int32 = 2
    return executable == nil && user == 0 && (pid == parentOfAll || parent == parentOfAll)
  }
}

extension StartChain.Link {
  init(_ process: ProcessDetails) {
    self.init(
      pid: process.pid, session: process.session, hasTerminal: process.hasTerminal,
      program: process.executable?.name)
  }
}
