internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import LaunchRules

/// Sends signals about starts and ends of applications (R6.11).
final class ApplicationSubscribers {
  private let session: BusSession
  private let descriptions: ApplicationDescriptions
  private var subscribers = Subscribers(limit: 128)
  /// Nil while there are no subscribers.
  private var watch: RunningWatch?
  /// The reported applications with their last descriptions.
  private var known: [InstanceID: Options] = [:]

  init(_ session: BusSession, _ descriptions: ApplicationDescriptions) {
    self.session = session
    self.descriptions = descriptions
  }

  /// - Parameter running: the applications that already run; their starts are not reported.
  func add(
    _ caller: IdentifiedCaller, running: [HandlerLifecycle.State]
  ) throws(BusError) {
    try subscribers.add(caller)
    guard watch == nil else { return }
    watch = RunningWatch(running)
    for state in running {
      if let id = state.instance { known[id] = description(of: id, state) }
    }
  }

  func left(_ connection: String) { subscribers.remove(connection) }

  /// - Parameter states: returns the running applications. Not called without subscribers.
  func update(_ states: () -> [HandlerLifecycle.State]) {
    guard watch != nil else { return }
    guard !subscribers.isEmpty else {
      watch = nil
      known = [:]
      return
    }
    let running = states()
    let events = watch?.update(running) ?? []
    for event in events {
      switch event {
      case .willLaunch(let id): tell("ApplicationWillLaunch", id, running)
      case .launched(let id): tell("ApplicationLaunched", id, running)
      case .terminated(let id):
        if let last = known.removeValue(forKey: id) { send("ApplicationTerminated", last) }
      }
    }
    guard !events.isEmpty else { return }
    let alive = Set(running.compactMap(\.instance))
    known = known.filter { alive.contains($0.key) }
  }

  private func tell(_ signal: MemberName, _ id: InstanceID, _ running: [HandlerLifecycle.State]) {
    guard let state = running.first(where: { $0.instance == id }),
      let description = description(of: id, state)
    else { return }
    known[id] = description
    send(signal, description)
  }

  /// Nil for an application that is not reported (R6.11).
  private func description(of id: InstanceID, _ state: HandlerLifecycle.State) -> Options? {
    descriptions.isRegular(id.slot.application) ? descriptions.describe(state, id) : nil
  }

  private func send(_ signal: MemberName, _ application: Options) {
    subscribers.send(signal, of: Contract.registry, [.options(application)]) { [session] _ in
      session
    }
  }
}
