internal import BusContract
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

// A start is noted before the process is there, so that the next daemon finds a process whose number
// this one did not live to note.

extension Daemon {
  /// - Parameter start: called when it is noted, unless the process is not wanted any more.
  func noteStart(
    _ id: InstanceID, token: String, unit: String?, then start: @escaping () -> Void
  ) {
    requests.begin(
      ProcessStart(
        application: id.slot.application.text, seat: id.slot.number,
        token: TokenFingerprint(token).value, unit: unit)
    ) { [weak self] in
      guard let self, !isStopping else { return }
      if state(of: id) != nil { return start() }
      requests.endStart(of: id.slot.application.text, seat: id.slot.number)
    }
  }

  /// The processes that came of the starts the daemon before this one left behind. Before the session
  /// serves.
  func processes(of starts: [ProcessStart]) -> [RunningProcess] {
    guard !starts.isEmpty else { return [] }
    let sightings = ProcessDetails.ofThisUser().map { process in
      UnnotedStart.Sighting(
        pid: process.pid, startTime: process.startTime, session: process.session,
        token: process.environmentAtStart[Contract.tokenVariable].map { TokenFingerprint($0) })
    }
    return starts.compactMap { start in
      let pid =
        start.unit.flatMap(mainProcess)
        ?? UnnotedStart.process(given: TokenFingerprint(value: start.token), among: sightings)?.pid
      guard let process = pid.flatMap({ ProcessDetails(of: $0) }) else { return nil }
      journal.notice(
        "a process was being started when the daemon before this one ended",
        ["application": start.application, "pid": "\(process.pid)"])
      return RunningProcess(
        application: start.application, seat: start.seat, pid: process.pid,
        startTime: process.startTime, isOurs: true)
    }
  }

  private func mainProcess(of unit: String) -> Int32? {
    guard let state = services.state(of: unit) else { return nil }
    switch UnnotedStart.decide(mainPID: state.mainPID, hasJob: state.hasJob) {
    case .adopt(let pid): return pid
    case .withdraw:
      services.withdraw(unit)
      return nil
    case .nothing: return nil
    }
  }
}
