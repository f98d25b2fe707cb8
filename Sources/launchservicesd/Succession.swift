internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

// A started process may leave its work to a child that checks in and lives on.

extension Daemon {
  /// The process of an instance has ended, but the connection that checked in belongs to another one,
  /// which lives: that one is the instance from now on.
  ///
  /// - Returns: nil when there is none, or when the application was asked to end.
  func successor(of id: InstanceID) -> (pid: Int32, startTime: UInt64)? {
    guard let state = state(of: id), !state.isEnding else { return nil }
    return instances[id]?.connection.flatMap(callers.facts)?.own
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
      ["application": id.seat.application.text, "pid": "\(process.pid)"])
  }

  func state(of id: InstanceID) -> HandlerLifecycle.State? {
    lifecycles.states(of: id.seat.application).first { $0.instance == id }
  }
}
