internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import LaunchRules

/// The connections that are told which applications come and go.
struct Watchers {
  var connections = Monitors(most: 64)
  /// Nil while there is nobody to be told.
  var watch: RunningWatch?
  /// Those that were told of, as they were.
  var known: [InstanceID: Options] = [:]
}

extension Daemon {
  func watchApplications(_ caller: Caller, _ call: PendingCall) throws(BusError) {
    try watchers.connections.add(call.sender, of: share(of: caller, on: call.sender))
    if watchers.watch == nil {
      let running = lifecycles.runningApplications
      watchers.watch = RunningWatch(running)
      for state in running {
        if let id = state.instance { watchers.known[id] = description(of: id, state) }
      }
    }
    call.succeed()
  }

  /// Costs nothing while nobody is to be told.
  func tellWatchers() {
    guard watchers.watch != nil else { return }
    guard !watchers.connections.isEmpty else {
      watchers = Watchers()
      return
    }
    let running = lifecycles.runningApplications
    let events = watchers.watch?.update(running) ?? []
    for event in events {
      switch event {
      case .willLaunch(let id): tell("ApplicationWillLaunch", id, running)
      case .launched(let id): tell("ApplicationLaunched", id, running)
      case .terminated(let id):
        if let last = watchers.known.removeValue(forKey: id) {
          send("ApplicationTerminated", last)
        }
      }
    }
    guard !events.isEmpty else { return }
    let alive = Set(running.compactMap(\.instance))
    watchers.known = watchers.known.filter { alive.contains($0.key) }
  }

  private func tell(_ signal: MemberName, _ id: InstanceID, _ running: [HandlerLifecycle.State]) {
    guard let state = running.first(where: { $0.instance == id }),
      let description = description(of: id, state)
    else { return }
    watchers.known[id] = description
    send(signal, description)
  }

  /// Nil for one that nobody is told of (R6.11).
  private func description(of id: InstanceID, _ state: HandlerLifecycle.State) -> Options? {
    let application = registry.application(id.slot.application)
    guard application?.declaration.activationPolicy == .regular else { return nil }
    return describe(state, id)
  }

  /// To each by its name, so that nobody else on the bus reads it.
  private func send(_ signal: MemberName, _ application: Options) {
    for connection in watchers.connections.connections.compactMap(BusName.init) {
      session.send(
        .signal(
          path: Contract.objectPath, interface: Contract.registry, member: signal,
          [.options(application)], to: connection))
    }
  }
}
