internal import BusContract
internal import DBus
internal import DBusMainLoop

/// The signals about changes of the registry.
enum RegistrySignals {
  static func sendChanged(_ generation: UInt64, to session: BusSession) {
    session.send(
      .signal(
        path: Contract.objectPath, interface: Contract.registry, member: "Changed",
        [.uint64(generation)]))
    session.send(
      .signal(
        path: Contract.objectPath, interface: Contract.properties.name,
        member: "PropertiesChanged",
        [
          .string(Contract.registry.text), .options(["Generation": .uint64(generation)]),
          .strings([]),
        ]))
  }
}
