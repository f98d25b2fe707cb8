internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules

// Handlers that are spoken to with no bus between.

extension Daemon {
  /// The first call offers a direct connection, the second takes it: only who has checked in over the bus can
  /// make both, and the answer to the second comes after all that was sent over the bus.
  func deliverDirectly(_ facts: CallerTable.Facts, _ call: PendingCall) throws(BusError) {
    if direct[call.sender] != nil {
      direct.offer(call.sender)
      return call.succeed([.boolean(true)])
    }
    // One that is met by its bus name has said nothing yet.
    guard let instance = instances.instance(on: call.sender), instances[instance]?.named == nil
    else {
      throw RegistrationFailure.notPermitted("call CheckIn before DeliverDirectly").busError
    }
    let name = direct.offered.last { callers.facts(of: $0)?.isOfProcess(of: facts) ?? false }
    instances.change(instance) { $0.direct = name }
    journal.info(
      name == nil ? "an application offers no direct connection" : "an application hears directly",
      ["application": instance.seat.application.text])
    call.succeed([.boolean(name != nil)])
  }

  /// The connection that a handler is spoken to on.
  func session(of instance: Instances.Instance) -> BusSession {
    instance.direct.flatMap { direct[$0] } ?? session
  }

  /// A process that has left the bus may have answered on its direct connection before.
  func hearOut(_ connection: String) {
    guard let instance = instances.instance(on: connection).flatMap({ instances[$0] }) else {
      return
    }
    instance.direct.flatMap { direct[$0] }?.readAll()
  }

  /// A direct connection has gone: what is next goes over the bus.
  func leftDirectly(_ name: String) {
    for (id, instance) in instances.all where instance.direct == name {
      instances.change(id) { $0.direct = nil }
    }
  }

  /// The direct connection has gone in the middle of a delivery. When that is the end of the process, the bus
  /// says so soon, and says it better.
  func closedDirectly(_ request: OpenRequest, _ id: InstanceID) {
    instances.change(id) {
      $0.silence = Deadline(after: .seconds(1)) { [weak self] in
        self?.happened(
          .answered(id, request.id, .refused("it closed the connection that it was given it on")),
          to: id)
      }
    }
  }
}

extension CallerTable.Facts {
  fileprivate func isOfProcess(of other: Self) -> Bool {
    own == other.own
  }
}
