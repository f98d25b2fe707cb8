internal import LaunchRules

/// All devices to which an open can be handed over: the machines that are remotes here, and the phones of KDE Connect.
final class Devices {
  private let remotes: RemoteStore
  private let phones: KDEConnect

  init(_ remotes: RemoteStore, _ phones: KDEConnect) {
    self.remotes = remotes
    self.phones = phones
  }

  /// The machines alone.
  var machines: DeviceList {
    DeviceList(remotes.names.map(Device.init(machine:)), problem: .notAsked)
  }

  /// - Parameter startsService: whether KDE Connect is started if it does not run.
  func list(startsService: Bool = false) async -> DeviceList {
    let phones = await phones.list(startsService: startsService)
    return DeviceList(machines.devices + phones.devices, problem: phones.problem)
  }

  /// The devices that may have a name. KDE Connect is not asked about the name of a machine.
  func list(for name: String?) async -> DeviceList {
    let machines = machines
    return machines.devices.contains { $0.id == name } ? machines : await list()
  }
}
