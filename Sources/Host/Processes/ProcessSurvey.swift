internal import Glibc
package import LaunchRules

/// The processes of this machine, for finding those that may have started a process with a lost parent.
///
/// All processes are read at once, and only when the previous reading cannot be used, because any caller can
/// cause a reading.
package final class ProcessSurvey {
  private struct Entry {
    let process: ProcessDetails
    /// The possible names of the program.
    let names: [String]
  }

  /// Nil when there are too many processes, or they cannot be listed.
  private var entries: [Entry]?
  /// Time of the last reading, in microseconds since boot.
  private var begin: UInt64?
  /// Time used for readings, in microseconds, less a fraction of the elapsed time.
  private var load: UInt64 = 0
  /// Time of the last update of `load`.
  private var settled: UInt64 = 0

  private static let mostProcesses = 4096
  /// Maximum size of the names of programs in one answer, in bytes.
  private static let mostBytes = 64 << 10
  /// Maximum `load`, in microseconds. Above it, readings are limited to a fraction of the time.
  private static let mostLoad: UInt64 = 200_000
  private static let part: UInt64 = 10

  package init() {}

  /// The beginning of the chain of processes that led to the first one.
  /// - Parameter lineage: the process and its ancestors, nearest first.
  package func start(of lineage: [ProcessDetails]) -> WebOrigin.Start {
    guard let place = StartChain.adopted(in: lineage.map(StartChain.Link.init)) else {
      return lineage.isEmpty ? .unknown : .terminal
    }
    let adopted = lineage[place]
    let group = adopted.controlGroup ?? Self.controlGroup(of: adopted)
    // The daemon started the unit, so no page did.
    if let unit = group?.split(separator: "/").last, ApplicationUnit.isOurs(String(unit)) {
      return .adopted(among: [])
    }
    if !includesStarter(of: adopted) {
      guard mayRead() else { return .unknown }
      read()
    }
    guard let entries else { return .unknown }
    var names: Set<String> = []
    for entry in entries {
      let other = entry.process
      guard other.startTime <= adopted.startTime, other.pid != adopted.pid else { continue }
      // An unknown control group may be the same group.
      guard
        other.session == adopted.session || group == nil || other.controlGroup == nil
          || group == other.controlGroup
      else { continue }
      names.formUnion(entry.names)
    }
    guard names.reduce(0, { $0 + $1.utf8.count }) <= Self.mostBytes else { return .unknown }
    return .adopted(among: names.sorted())
  }

  /// The control group of an ancestor, which the lineage does not contain.
  private static func controlGroup(of process: ProcessDetails) -> String? {
    guard let details = ProcessDetails(of: process.pid), details.startTime == process.startTime
    else { return nil }
    return details.controlGroup
  }

  /// Whether the process that started `process` was running at the last reading, or had ended before it.
  private func includesStarter(of process: ProcessDetails) -> Bool {
    guard let begin, entries != nil else { return false }
    let tick = 1_000_000 / UInt64(sysconf(Int32(_SC_CLK_TCK)))
    return process.startedAt + tick < begin
  }

  /// Whether a reading is permitted by the limit on `load`.
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
