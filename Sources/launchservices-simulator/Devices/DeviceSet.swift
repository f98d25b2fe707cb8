internal import FoundationEssentials
internal import Glibc
internal import Host

/// The devices of one folder. A command that changes a device holds the lock of the folder.
final class DeviceSet {
  let folder: String
  private var lock: Int32 = -1

  /// - Parameter path: the folder of `--set`; nil for `$LAUNCH_SERVICES_DEVICES` or the state folder of the user.
  init(_ path: String?) throws(SimulatorFailure) {
    let environment = ProcessInfo.processInfo.environment
    let chosen = path ?? environment["LAUNCH_SERVICES_DEVICES"].flatMap { $0.isEmpty ? nil : $0 }
    let standard = UserFolders(environment: environment).stateHome + "/launch-services/devices"
    let current = FileManager.default.currentDirectoryPath
    folder = chosen.map { $0.hasPrefix("/") ? $0 : current + "/" + $0 } ?? standard
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .machine("the folder of the devices, \(folder), cannot be made: \(error)")
    }
    takeLock()
    defer { releaseLock() }
    if all.isEmpty, !FileManager.default.fileExists(atPath: folder + "/.made") {
      for (name, version) in DeviceCatalogue.first {
        guard let type = DeviceCatalogue.deviceType(name),
          let runtime = DeviceCatalogue.runtime(version)
        else { continue }
        _ = try makeDevice(name, type, runtime)
      }
      _ = FileManager.default.createFile(atPath: folder + "/.made", contents: nil)
    }
  }

  // MARK: The lock

  func withLock<Result>(_ body: () throws(SimulatorFailure) -> Result) throws(SimulatorFailure)
    -> Result
  {
    takeLock()
    defer { releaseLock() }
    return try body()
  }

  private func takeLock() {
    lock = unsafe open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    while lock >= 0, flock(lock, LOCK_EX) != 0, errno == EINTR {}
  }

  private func releaseLock() {
    if lock >= 0 { close(lock) }
    lock = -1
  }

  // MARK: Devices

  /// In the order of their creation.
  var all: [Device] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { name in
      let path = "\(folder)/\(name)"
      guard let bytes = try? Data(contentsOf: URL(filePath: path + "/device.json")),
        let description = try? JSONDecoder().decode(Device.Description.self, from: bytes)
      else { return nil }
      return Device(description: description, folder: path)
    }
    .sorted {
      ($0.description.runtime, $0.description.created, $0.description.name, $0.udid)
        < ($1.description.runtime, $1.description.created, $1.description.name, $1.udid)
    }
  }

  /// The device of a UDID in any case, a name, or `booted`.
  func device(_ name: String) throws(SimulatorFailure) -> Device {
    let all = all
    let found =
      name == "booted"
      ? all.first(where: \.isBooted)
      : all.first { $0.udid == name.uppercased() }
        ?? all.first { $0.description.name == name && $0.isBooted }
        ?? all.first { $0.description.name == name }
    guard let found else { throw .invalidDevice(name) }
    return found
  }

  func bootedDevice(_ name: String) throws(SimulatorFailure) -> (Device, Device.Boot) {
    let device = try device(name)
    guard let boot = device.boot else { throw .shutDown }
    return (device, boot)
  }

  func makeDevice(
    _ name: String, _ type: DeviceCatalogue.DeviceType, _ runtime: DeviceCatalogue.Runtime
  ) throws(SimulatorFailure) -> Device {
    let udid = UUID().uuidString
    let device = Device(
      description: .init(
        udid: udid, name: name, deviceType: type.identifier, runtime: runtime.identifier,
        created: Int(Date().timeIntervalSince1970)),
      folder: "\(folder)/\(udid)")
    do {
      for path in [device.dataPath, device.logPath] {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
      }
      try device.store()
    } catch {
      throw .machine("the device cannot be made: \(error)")
    }
    return device
  }
}
