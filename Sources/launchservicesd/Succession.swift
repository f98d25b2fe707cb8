internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import Records

// A started process may leave its work to a child that checks in and lives on.

extension Daemon {
  /// The process of an instance has ended, but the connection that checked in belongs to another one,
  /// which lives: that one is the instance from now on.
  ///
  /// - Returns: false when there is none, or when the application was asked to end.
  func goesOnInSuccessor(_ id: InstanceID) -> Bool {
    guard let instance = instances[id], let state = state(of: id), !state.isEnding,
      let successor = instance.connection.flatMap(callers.facts)?.own,
      successor.pid != instance.pid,
      let process = try? ChildProcess(
        adopting: successor.pid, startTime: successor.startTime,
        onExit: { [weak self] status in self?.exited(id, status) })
    else { return false }
    instances.succeed(id, process: process, startTime: successor.startTime)
    noteProcess(
      id, isSuspended: lifecycles.stateName(of: state) == Stage.Visibility.suspended.rawValue)
    requests.ended(pid: instance.pid)
    if let request = state.handedOver, let open = opens[request], open.entry.progress == .delivering
    {
      noteDelivering(open, to: successor)
    }
    journal.info(
      "goes on in another process",
      ["application": id.seat.application.text, "pid": "\(process.pid)"])
    return true
  }

  func state(of id: InstanceID) -> HandlerLifecycle.State? {
    lifecycles.states(of: id.seat.application).first { $0.instance == id }
  }
}
