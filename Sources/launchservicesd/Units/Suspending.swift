internal import Glibc
internal import Host
internal import LaunchRules

// Suspends the process of an application: its whole unit where it has one, else its process group.

extension Daemon {
  func suspend(_ id: InstanceID) {
    noteProcess(id, isSuspended: true)
    guard instances[id]?.unit != nil else {
      instances[id]?.process?.signalGroup(SIGSTOP)
      return
    }
    change(id, .suspend)
  }

  func resume(_ id: InstanceID) {
    if instances[id]?.unit != nil { change(id, .resume) }
    instances[id]?.process?.signalGroup(SIGCONT)
    noteProcess(id, isSuspended: false)
  }

  /// Lets it run, so that it hears that it is to end.
  func thaw(_ id: InstanceID) {
    if instances[id]?.unit != nil { change(id, .resume) }
  }

  /// Nobody will be there to undo a freezing that is under way.
  func thawAll() {
    services.thawAtLast(
      instances.all.values.compactMap { instance in
        if case .freezing = instance.freezer.state { instance.unit } else { nil }
      })
  }

  private func change(_ id: InstanceID, _ event: UnitFreezer.Event) {
    guard let unit = instances[id]?.unit else { return }
    var effect: UnitFreezer.Effect?
    instances.change(id) { effect = $0.freezer.handle(event) }
    switch effect {
    case .freeze, .thaw:
      services.freeze(unit, effect == .freeze) { [weak self] isDone in
        self?.change(id, isDone ? .done : .refused)
      }
    case .stop: instances[id]?.process?.signalGroup(SIGSTOP)
    case .proceed: instances[id]?.process?.signalGroup(SIGCONT)
    case nil: break
    }
  }
}
