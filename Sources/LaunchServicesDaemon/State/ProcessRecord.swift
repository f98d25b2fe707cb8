internal import BusContract
internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

/// Records the processes of applications, so that the next daemon takes them over, and finds those of the
/// previous daemon.
///
/// A start is recorded before the process exists. The next daemon can therefore find a process although this
/// daemon ended before it could record the process number.
final class ProcessRecord {
  private let requests: RequestStore
  private let services: ServiceManager
  private let journal: Journal
  /// The recorded sessions, and the number of them from which those without members are removed.
  private var sessions: Set<Int32> = []
  private var mostSessions = 1000

  init(_ requests: RequestStore, _ services: ServiceManager, _ journal: Journal) {
    self.requests = requests
    self.services = services
    self.journal = journal
  }

  // MARK: Starts

  /// - Parameter then: called when the start is recorded.
  func recordStart(
    of id: InstanceID, token: String, unit: String?, then: @escaping @MainActor @Sendable () -> Void
  ) {
    requests.begin(
      ProcessStart(
        application: id.slot.application.text, slot: id.slot.number,
        token: TokenFingerprint(token).value, unit: unit), then: then)
  }

  func recordStartEnd(of id: InstanceID) {
    requests.endStart(of: id.slot.application.text, slot: id.slot.number)
  }

  // MARK: Processes

  func record(_ process: SupervisedProcess, of id: InstanceID) {
    guard let startTime = process.startTime else { return }
    if process.session == process.pid, process.unit == nil {
      record(session: process.pid, startTime: startTime, of: id.slot.application)
    }
    requests.started(
      RunningProcess(
        application: id.slot.application.text, slot: id.slot.number, pid: process.pid,
        startTime: startTime, isOurs: process.isOurs, isSuspended: process.isSuspended,
        successor: process.successor.map { .init(pid: $0.pid, startTime: $0.startTime) }))
  }

  /// Descendants of the process stay in its session, also when the process ends while no daemon runs.
  private func record(session number: Int32, startTime: UInt64, of application: BundleIdentifier) {
    guard sessions.insert(number).inserted else { return }
    requests.began(
      StartedSession(
        number: number, startTime: startTime, application: application.text,
        boot: ProcessDetails.boot))
    guard sessions.count > mostSessions else { return }
    let living = ProcessDetails.sessions
    for ended in sessions.subtracting(living) { requests.endedSession(ended) }
    sessions.formIntersection(living)
    mostSessions = max(1000, 2 * sessions.count)
  }

  /// The sessions of earlier daemons that have members. The others are removed from the record.
  func sessions(of before: RecordedBefore) -> [StartedSession] {
    guard !before.sessions.isEmpty else { return [] }
    let living = ProcessDetails.sessions
    return before.sessions.filter { session in
      let leader = ProcessDetails(of: session.number)?.startTime
      let isLiving =
        session.boot == ProcessDetails.boot && living.contains(session.number)
        && (leader == nil || leader == session.startTime)
      if isLiving { sessions.insert(session.number) } else { requests.endedSession(session.number) }
      return isLiving
    }
  }

  func recordEnd(of pid: Int32) { requests.ended(pid: pid) }

  // MARK: The previous daemon

  /// The living processes of the previous daemon, and those that it was starting. Blocks on queries of the
  /// main processes of units to the service manager; call before the session serves.
  func survivors(of before: RecordedBefore) -> [RunningProcess] {
    let survivors = before.survivors.compactMap { process in
      let living = Self.living(process)
      if living?.pid != process.pid { recordEnd(of: process.pid) }
      return living
    }
    let unrecorded = before.starts.filter { start in
      !survivors.contains { $0.application == start.application && $0.slot == start.slot }
    }
    return survivors + processes(of: unrecorded)
  }

  /// Removes the records of these starts: their processes are recorded, or have ended.
  func recordStartEnds(of before: RecordedBefore) {
    for start in before.starts { requests.endStart(of: start.application, slot: start.slot) }
  }

  /// The process in its current state, or the process that has replaced it by a check-in; nil when both have
  /// ended.
  private static func living(_ process: RunningProcess) -> RunningProcess? {
    func lives(_ pid: Int32, _ startTime: UInt64) -> Bool {
      guard let details = ProcessDetails(of: pid) else { return false }
      return details.startTime == startTime && !details.hasEnded
    }
    if lives(process.pid, process.startTime) { return process }
    guard let successor = process.successor, lives(successor.pid, successor.startTime) else {
      return nil
    }
    var process = process
    (process.pid, process.startTime) = (successor.pid, successor.startTime)
    process.successor = nil
    return process
  }

  private func processes(of starts: [ProcessStart]) -> [RunningProcess] {
    guard !starts.isEmpty else { return [] }
    let sightings = sightings(
      awaiting: starts.filter { $0.unit == nil }.map { TokenFingerprint(value: $0.token) })
    return starts.compactMap { start in
      let pid =
        start.unit.flatMap(mainProcess)
        ?? UnfinishedStart.process(given: TokenFingerprint(value: start.token), among: sightings)?
        .pid
      guard let process = pid.flatMap({ ProcessDetails(of: $0) }) else { return nil }
      journal.notice(
        "took over a process that the previous daemon was starting when it ended",
        ["application": start.application, "pid": "\(process.pid)"])
      return RunningProcess(
        application: start.application, slot: start.slot, pid: process.pid,
        startTime: process.startTime, isOurs: true)
    }
  }

  /// All processes of this user. Waits until a child of the previous daemon has executed its program, which makes
  /// its token visible, but not longer than `mostWaiting`.
  private func sightings(awaiting tokens: [TokenFingerprint]) -> [UnfinishedStart.Sighting] {
    let began = ContinuousClock.now
    while true {
      let sightings = ProcessDetails.ofThisUser().map { process in
        UnfinishedStart.Sighting(
          pid: process.pid, startTime: process.startTime, session: process.session,
          token: process.environmentAtStart[Contract.tokenVariable].map { TokenFingerprint($0) },
          mayBeBeforeExecution: process.mayBeBeforeExecution)
      }
      guard UnfinishedStart.canAppear(given: tokens, among: sightings) else { return sightings }
      guard began.duration(to: .now) < Self.mostWaiting else {
        journal.warning(
          "a child of the previous daemon has not executed its program; an application may be started a second"
            + " time",
          ["pid": sightings.first { $0.mayBeBeforeExecution }.map { "\($0.pid)" } ?? ""])
        return sightings
      }
      usleep(5_000)
    }
  }

  private static let mostWaiting = Duration.seconds(2)

  private func mainProcess(of unit: String) -> Int32? {
    guard let state = services.state(of: unit) else { return nil }
    switch UnfinishedStart.decide(mainPID: state.mainPID, hasJob: state.hasJob) {
    case .adopt(let pid): return pid
    case .withdraw:
      services.withdraw(unit)
      return nil
    case .nothing: return nil
    }
  }
}
