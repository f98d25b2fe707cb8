internal import Commands
internal import Foundation

/// The subcommands that make, boot, shut down and remove devices.
extension Simctl {
  func create(
    _ arguments: [String], in set: DeviceSet
  ) throws(SimulatorFailure) -> String {
    guard let type = DeviceCatalogue.deviceType(arguments[1]) else {
      throw .usage("Invalid device type: \(arguments[1])")
    }
    guard let runtime = DeviceCatalogue.runtime(arguments.count > 2 ? arguments[2] : nil) else {
      throw .usage("Invalid runtime: \(arguments[2])")
    }
    return try set.withLock { () throws(SimulatorFailure) in
      try set.makeDevice(arguments[0], type, runtime).udid
    }
  }

  func bootStatus(_ arguments: [String], in set: DeviceSet) throws(SimulatorFailure) {
    guard let name = arguments.first(where: { !$0.hasPrefix("-") }) else {
      throw .usage("Usage: simctl \(Subcommand.bootstatus.synopsis)")
    }
    var device = try set.device(name)
    output.print("Monitoring boot status for \(device.description.name) (\(device.udid)).")
    if device.isBooted {
      output.print("Device already booted, nothing to do.")
    } else if arguments.contains("-b") {
      try set.withLock { () throws(SimulatorFailure) in
        if !device.isBooted { try device.start() }
      }
      output.print(["Waiting on Data Migration", "Waiting on System App", "Finished"])
    } else {
      output.print("Waiting on BackBoard")
      while !device.isBooted { Thread.sleep(forTimeInterval: 0.1) }
      output.print("Finished")
    }
  }

  func change(
    _ subcommand: Subcommand, _ names: [String], in set: DeviceSet
  ) throws(SimulatorFailure) {
    // Every device of this simctl is available.
    if subcommand == .delete, names == ["unavailable"] { return }
    var devices: [Device] = []
    if names == ["all"] {
      devices = set.all.filter { subcommand != .shutdown || $0.lastBoot != nil }
    } else {
      for name in names { devices.append(try set.device(name)) }
    }
    for device in devices {
      do {
        switch subcommand {
        case .shutdown: try device.shutDown()
        case .erase:
          if device.isBooted {
            throw SimulatorFailure.state("erase contents and settings", "Booted")
          }
          if device.lastBoot != nil { try device.shutDown() }
          try FileManager.default.removeItem(atPath: device.dataPath)
          try FileManager.default.createDirectory(
            atPath: device.dataPath, withIntermediateDirectories: true)
        default:
          if device.lastBoot != nil { try device.shutDown() }
          try FileManager.default.removeItem(atPath: device.folder)
        }
      } catch {
        throw error as? SimulatorFailure ?? .machine("\(error)")
      }
    }
  }
}
