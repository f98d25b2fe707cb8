internal import BusContract
internal import DBus

/// The interfaces of the D-Bus specification that every object implements.
enum StandardInterfaces {
  /// - Returns: nil for methods of other interfaces.
  static func answer(
    _ request: IncomingCall, at path: String, registryProperties: () -> Options
  ) throws(BusError) -> [Value]? {
    switch request {
    case .ping: return []
    case .machineID: return [.string(try localMachineID())]
    case .introspect: return [.string(try ObjectTree.introspection(of: path))]
    case .getProperty(let interface, let name):
      guard interface == Contract.registry.text, let value = registryProperties()[name] else {
        throw BusError(
          .unknownProperty, "\(interface) has no property \(name)")
      }
      return [.variant(value)]
    case .getAllProperties(let interface):
      return [.options(interface == Contract.registry.text ? registryProperties() : [:])]
    case .setProperty(let interface, let name):
      throw BusError(
        .propertyReadOnly, "\(interface).\(name) cannot be set")
    case .managedObjects: return [ObjectTree.managedObjects(registryProperties())]
    default: return nil
    }
  }
}
