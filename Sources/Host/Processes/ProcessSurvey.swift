internal import Dispatch
internal import Events
internal import Glibc
package import LaunchRules

/// The processes of this machine, for finding those that may have started a process with a lost parent.
///
/// All processes are read at once, and only when the previous reading cannot be used, because any caller can
/// cause a reading.
@MainActor package final class ProcessSurvey {
  private struct Entry: Sendable {
    let process: ProcessDetails
    /// The possible names of the program.
    let names: [String]
  }

  /// The questions that wait for a reading on another thread; nil while there is none.
  private var waiting: [@MainActor () -> Void]?
  /// Nil when there are too many processes, or they cannot be listed.
  private var entries: [Entry]?
  /// Time of the last reading, in microseconds since boot.
  private var begin: UInt64?
  /// Processor time used for readings, in microseconds, less a fraction of the elapsed time. A busy machine makes a reading
  /// longer, but not more expensive.
  private var load: UInt64 = 0
  /// Time of the last update of `load`.
  private var settled: UInt64 = 0

  private nonisolated static let mostProcesses = 4096
  /// The maximum number of ancestors that are read to find the session of a process.
  private nonisolated static let mostAncestors = 8
  /// Maximum size of the names of programs in one answer, in bytes.
  private static let mostBytes = 64 << 10
  /// Maximum `load`, in microseconds. Above it, readings are limited to a fraction of the time.
  private static let mostLoad: UInt64 = 200_000
  private static let part: UInt64 = 10

  /// The variables that tell the session of this process; see `WebOrigin.isOfOtherSession`.
  private let session: [String: String]

  /// - Parameter session: nil for the environment of this process.
  package init(session: [String: String]? = nil) { self.session = session ?? Self.environment }

  /// The beginning of the chain of processes that led to the first one. Reads all processes at once if necessary.
  /// - Parameter lineage: the process and its ancestors, nearest first.
  package func start(of lineage: [ProcessDetails]) -> WebOrigin.Start {
    let finding = finding(of: lineage)
    guard case .depends(let adopted, let group) = finding, !includesStarter(of: adopted) else {
      return start(finding)
    }
    guard mayRead() else { return .unknown }
    let begin = Time.microsecondsSinceBoot()
    take(Self.reading(session), since: begin)
    return start(adopted, group)
  }

  /// As `start`, but reads the processes on another thread: with thousands of them, a reading takes a fifth of a
  /// second.
  /// - Parameter body: called once, at once or later.
  package func findStart(
    of lineage: [ProcessDetails], _ body: @escaping @MainActor (WebOrigin.Start) -> Void
  ) {
    let finding = finding(of: lineage)
    guard case .depends(let adopted, let group) = finding, !includesStarter(of: adopted) else {
      return body(start(finding))
    }
    guard waiting == nil else {
      // The reading under way may have begun before the process.
      waiting?.append { [self] in findStart(of: lineage, body) }
      return
    }
    guard mayRead() else { return body(.unknown) }
    let begin = Time.microsecondsSinceBoot()
    waiting = []
    let error = DetachedThread.start { [session] in
      let reading = Self.reading(session)
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          self.take(reading, since: begin)
          let others = self.waiting ?? []
          self.waiting = nil
          body(self.start(adopted, group))
          for other in others { other() }
        }
      }
    }
    guard error != 0 else { return }
    waiting = nil
    body(.unknown)
  }

  private enum Finding {
    case known(WebOrigin.Start)
    /// It depends on the processes that may have started this one.
    case depends(ProcessDetails, group: String?)
  }

  private func finding(of lineage: [ProcessDetails]) -> Finding {
    guard let place = StartChain.adopted(in: lineage.map(StartChain.Link.init)) else {
      return .known(lineage.isEmpty ? .unknown : .terminal)
    }
    let adopted = lineage[place]
    let group = adopted.controlGroup ?? Self.controlGroup(of: adopted)
    // The daemon started the unit, so no page did.
    if let unit = group?.split(separator: "/").last, ApplicationUnit.isOurs(String(unit)) {
      return .known(.adopted(among: []))
    }
    return .depends(adopted, group: group)
  }

  private func start(_ finding: Finding) -> WebOrigin.Start {
    switch finding {
    case .known(let start): start
    case .depends(let adopted, let group): start(adopted, group)
    }
  }

  /// The answer of the last reading.
  private func start(_ adopted: ProcessDetails, _ group: String?) -> WebOrigin.Start {
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

  private func take(_ reading: Reading, since begin: UInt64) {
    entries = reading.entries
    self.begin = begin
    load += reading.cost
  }

  /// The variables that tell the session of this process.
  private static var environment: [String: String] {
    let variables = WebOrigin.sessionVariables.compactMap { name in
      unsafe getenv(name).map { (name, unsafe String(cString: $0)) }
    }
    return Dictionary(uniqueKeysWithValues: variables)
  }

  /// The variables that tell the session of a process: its own, or those of its nearest ancestor that has some. Browsers
  /// write over the environment of their children.
  private nonisolated static func sessionVariables(of process: ProcessDetails) -> [String: String] {
    var process = process
    for _ in 0..<mostAncestors {
      let variables = process.environmentAtStart(named: WebOrigin.sessionVariables)
      if !variables.isEmpty { return variables }
      guard let parent = ProcessDetails(of: process.parent, readingGroup: false) else { break }
      process = parent
    }
    return [:]
  }

  private struct Reading: Sendable {
    let entries: [Entry]?
    /// Processor time in microseconds.
    let cost: UInt64
  }

  private nonisolated static func reading(_ session: [String: String]) -> Reading {
    let begin = Time.threadProcessorMicroseconds()
    let entries = read(session)
    return Reading(entries: entries, cost: Time.threadProcessorMicroseconds() - begin)
  }

  /// The processes that may have started a process of this user in this session.
  private nonisolated static func read(_ session: [String: String]) -> [Entry]? {
    guard let names = try? FolderListing(of: "/proc", isSorted: false).names else { return nil }
    let pids = names.compactMap { Int32($0) }
    guard pids.count <= Self.mostProcesses else { return nil }
    return pids.compactMap { pid in
      guard let process = ProcessDetails(of: pid), !process.isThreadOfKernel,
        process.mayBeOfThisUser
      else { return nil }
      let program = process.executable?.name
      let names = [process.name] + (program == process.name ? [] : [program].compactMap { $0 })
      if names.contains(where: WebOrigin.mayActForPages),
        WebOrigin.isOfOtherSession(sessionVariables(of: process), than: session)
      {
        return nil
      }
      return Entry(process: process, names: names)
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
