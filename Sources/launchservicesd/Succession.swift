internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

// A started process may leave its work to a child that checks in and lives on.

extension Daemon {
  /// The process of an instance has ended, but another one has checked in, which lives: that one is the
  /// instance from now on.
  ///
  /// - Returns: nil when there is none, or when the application was asked to end.
  func successor(of id: InstanceID) -> (pid: Int32, startTime: UInt64)? {
    guard let state = state(of: id), !state.isEnding,
      deliveries.connection(of: id) != nil || lifecycles.isExpectedBack(id)
    else { return nil }
    return supervisor[id]?.successor.map { ($0.pid, $0.startTime) }
  }

  /// The process as it is now, or the one that has checked in in its place; nil when both have ended.
  static func living(_ process: RunningProcess) -> RunningProcess? {
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

  func goOn(_ id: InstanceID, _ process: SupervisedProcess, after old: SupervisedProcess) {
    record(process, of: id)
    requests.ended(pid: old.pid)
    if let request = state(of: id)?.handedOver, let open = opens[request],
      open.entry.progress == .delivering
    {
      noteDelivering(open, to: (process.pid, process.startTime ?? 0))
    }
    journal.info(
      "goes on in another process",
      ["application": id.slot.application.text, "pid": "\(process.pid)"])
  }

  func state(of id: InstanceID) -> HandlerLifecycle.State? {
    lifecycles.states(of: id.slot.application).first { $0.instance == id }
  }
}
