internal import Commands
internal import Foundation
internal import LaunchServicesTesting

/// `xcrun simctl`: the subcommands that tests of deep links call, with the outputs and the statuses that scripts read.
struct Simctl {
  let output: Output

  enum Subcommand: String, CaseIterable {
    case appinfo, boot, bootstatus, create, delete, erase
    case container = "get_app_container"
    case help, install, launch, list, listapps, openurl, shutdown, spawn, terminate, uninstall

    var synopsis: String {
      switch self {
      case .appinfo: "appinfo DEVICE ID"
      case .boot: "boot DEVICE"
      case .bootstatus: "bootstatus DEVICE [-b] [-d]"
      case .create: "create NAME TYPE [RUNTIME]"
      case .delete: "delete (DEVICE... | unavailable | all)"
      case .erase: "erase (DEVICE... | all)"
      case .container: "get_app_container DEVICE ID [app | data | groups | GROUP]"
      case .help: "help [SUBCOMMAND]"
      case .install: "install DEVICE PATH.app"
      case .launch:
        "launch [--terminate-running-process] [--stdout=FILE] [--stderr=FILE] DEVICE ID [ARGUMENT...]"
      case .list:
        "list [-j | --json] [devices | devicetypes | runtimes | pairs] [available | booted | TEXT]"
      case .listapps: "listapps DEVICE"
      case .openurl: "openurl DEVICE URL"
      case .shutdown: "shutdown (DEVICE... | all)"
      case .spawn: "spawn DEVICE (launchctl list | lsopen ... | lsregister ...)"
      case .terminate: "terminate DEVICE ID"
      case .uninstall: "uninstall DEVICE ID"
      }
    }
  }

  /// Subcommands of Apple's simctl that have nothing to do with deep links.
  static let others = [
    "addmedia", "clone", "diagnose", "get_app_container_list", "getenv", "icloud_sync", "io",
    "keychain",
    "location", "logverbose", "pair", "pair_activate", "pbcopy", "pbpaste", "pbsync", "privacy",
    "push",
    "rename", "runtime", "status_bar", "ui", "unpair", "upgrade", "install_app_data",
  ]

  func run(_ arguments: [String]) -> Int32 {
    do throws(SimulatorFailure) {
      var rest = arguments[...]
      var folder: String?
      while let option = rest.first, option.hasPrefix("-") {
        rest = rest.dropFirst()
        switch option {
        case "--set":
          folder = rest.popFirst()
          guard folder != nil else { throw .usage("simctl: option '--set' needs a value: PATH") }
        case "-h", "--help", "-help":
          output.print(Self.help)
          return 0
        default: throw .usage("simctl: the option \(option) is not known; see 'simctl help'")
        }
      }
      guard let name = rest.popFirst() else {
        output.printError(Self.help)
        return 1
      }
      guard let subcommand = Subcommand(rawValue: name) else { return try refuse(name) }
      if subcommand == .help {
        if let name = rest.first, let topic = Subcommand(rawValue: name) {
          output.print("Usage: simctl \(topic.synopsis)")
        } else {
          output.print(Self.help)
        }
        return 0
      }
      return try perform(subcommand, Array(rest), in: try DeviceSet(folder))
    } catch {
      output.printError(error.lines)
      return error.status
    }
  }

  private static var help: [String] {
    ["Usage: simctl [--set PATH] SUBCOMMAND ...", "", "Subcommands:"]
      + Subcommand.allCases.map { "    \($0.synopsis)" }
      + [
        "",
        "DEVICE is a UDID, a name, or booted. A device of this simctl is a folder with a bus and a daemon of",
        "Launch Services for Linux; PATH is the folder of the devices. Programs for iOS do not run: a",
        "stand-in takes their URLs. LAUNCH_SERVICES_SIMCTL_ACCEPT lists other subcommands, separated by",
        "commas, that succeed without an effect.",
      ]
  }

  private func refuse(_ name: String) throws(SimulatorFailure) -> Int32 {
    let variable = "LAUNCH_SERVICES_SIMCTL_ACCEPT"
    let accepted = (ProcessArguments.environment(variable) ?? "").split(separator: ",")
    if accepted.contains(where: { $0 == name }) { return 0 }
    guard Self.others.contains(name) else {
      throw .usage("Unrecognized subcommand: \(name); 'simctl help' lists those of Launch Services")
    }
    throw .usage(
      "simctl \(name) is not available: this simctl belongs to Launch Services for Linux, and has what"
        + " tests of deep links need; set \(variable)=\(name) to let it succeed without an effect")
  }

  // MARK: Subcommands

  private func perform(
    _ subcommand: Subcommand, _ arguments: [String], in set: DeviceSet
  ) throws(SimulatorFailure) -> Int32 {
    func need(_ counts: ClosedRange<Int>) throws(SimulatorFailure) {
      guard counts.contains(arguments.count) else {
        throw .usage("Usage: simctl \(subcommand.synopsis)")
      }
    }
    switch subcommand {
    case .help: break
    case .list: try DeviceList(set: set, output: output).print(arguments)
    case .create:
      try need(2...3)
      output.print(try create(arguments, in: set))
    case .boot:
      try need(1...9)
      // Arguments such as --arch=arm64 choose what does not exist here.
      guard let name = arguments.first(where: { !$0.hasPrefix("-") }) else {
        throw .usage("Usage: simctl \(subcommand.synopsis)")
      }
      try set.withLock { () throws(SimulatorFailure) in
        var device = try set.device(name)
        try device.start()
      }
    case .bootstatus:
      try need(1...3)
      try bootStatus(arguments, in: set)
    case .shutdown, .erase, .delete:
      try need(1...1000)
      try set.withLock { () throws(SimulatorFailure) in
        try change(subcommand, arguments, in: set)
      }
    case .install:
      try need(2...2)
      let (device, boot) = try set.bootedDevice(arguments[0])
      try device.install(absolute(arguments[1]), boot)
    case .uninstall:
      try need(2...2)
      let (device, boot) = try set.bootedDevice(arguments[0])
      try device.uninstall(arguments[1], boot)
    case .launch: try launch(arguments, in: set)
    case .terminate:
      try need(2...2)
      let (device, boot) = try set.bootedDevice(arguments[0])
      try device.terminate(arguments[1], boot)
    case .openurl:
      try need(2...2)
      try openURL(arguments[1], try set.bootedDevice(arguments[0]))
    case .container:
      try need(2...3)
      output.print(try container(arguments, try set.bootedDevice(arguments[0]).0))
    case .listapps, .appinfo:
      try need(subcommand == .listapps ? 1...1 : 2...2)
      let (device, _) = try set.bootedDevice(arguments[0])
      let list = ApplicationList(device: device)
      output.print(subcommand == .listapps ? list.all : list.one(arguments[1]))
    case .spawn: return try spawn(arguments, in: set)
    }
    return 0
  }

  private func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  private func create(
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

  private func bootStatus(_ arguments: [String], in set: DeviceSet) throws(SimulatorFailure) {
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

  private func change(
    _ subcommand: Subcommand, _ names: [String], in set: DeviceSet
  ) throws(SimulatorFailure) {
    // Every device of this simctl is available.
    if subcommand == .delete, names == ["unavailable"] { return }
    var devices: [Device] = []
    if names == ["all"] {
      devices = set.all.filter { subcommand != .shutdown || $0.isBooted }
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
          try FileManager.default.removeItem(atPath: device.dataPath)
          try FileManager.default.createDirectory(
            atPath: device.dataPath, withIntermediateDirectories: true)
        default:
          if device.isBooted { try device.shutDown() }
          try FileManager.default.removeItem(atPath: device.folder)
        }
      } catch {
        throw error as? SimulatorFailure ?? .machine("\(error)")
      }
    }
  }

  private func openURL(
    _ url: String, _ booted: (Device, Device.Boot)
  ) throws(SimulatorFailure) {
    let result = booted.0.open(["--verbatim", "-u", url], booted.1)
    guard result.status != 0 else { return }
    let error = result.receipt["error"] as? String
    let isUnknown = error == "ApplicationNotFound"
    let isInvalid = error == "InvalidURL" || error == "Usage" || error == "InvalidArgs"
    throw SimulatorFailure(
      domain: "NSOSStatusErrorDomain", code: isUnknown ? -10814 : isInvalid ? -50 : -10810,
      sentences: ["Simulator device failed to open \(url).", result.problem])
  }

  private func launch(_ arguments: [String], in set: DeviceSet) throws(SimulatorFailure) {
    var rest = arguments[...]
    var terminates = false
    var options: [String] = []
    while let option = rest.first, option.hasPrefix("-") {
      rest = rest.dropFirst()
      let parts = option.split(separator: "=", maxSplits: 1)
      switch parts[0] {
      case "--terminate-running-process", "--terminate-running", "-t": terminates = true
      case "--stdout" where parts.count == 2: options += ["-o", absolute(String(parts[1]))]
      case "--stderr" where parts.count == 2: options += ["--stderr", absolute(String(parts[1]))]
      default:
        throw .usage(
          "simctl launch: the option \(option) is not available; Usage: simctl"
            + " \(Subcommand.launch.synopsis)")
      }
    }
    guard rest.count >= 2 else { throw .usage("Usage: simctl \(Subcommand.launch.synopsis)") }
    let (device, boot) = try set.bootedDevice(rest.removeFirst())
    let identifier = rest.removeFirst()
    guard device.installed(identifier) != nil else {
      throw SimulatorFailure(
        domain: "FBSOpenApplicationServiceErrorDomain", code: 4,
        sentences: [
          "Simulator device failed to launch \(identifier).",
          "The request to open \"\(identifier)\" failed: the application is not installed.",
        ])
    }
    if terminates { _ = try? device.terminate(identifier, boot) }
    let child = "SIMCTL_CHILD_"
    for (name, value) in ProcessInfo.processInfo.environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix(child) {
      options += ["--env", "\(name.dropFirst(child.count))=\(value)"]
    }
    options += ["-b", identifier]
    if !rest.isEmpty { options += ["--args"] + rest }
    let result = device.open(options, boot)
    guard result.status == 0 else {
      throw SimulatorFailure(
        domain: "FBSOpenApplicationServiceErrorDomain", code: 1,
        sentences: ["Simulator device failed to launch \(identifier).", result.problem])
    }
    let pid = result.receipt["pid"] as? Int ?? 0
    output.print("\(identifier): \(pid)")
  }

  private func container(_ arguments: [String], _ device: Device) throws(SimulatorFailure) -> String
  {
    guard let bundle = device.installed(arguments[1]) else {
      throw .system(
        2, "The operation couldn’t be completed. No such file or directory",
        "No such file or directory")
    }
    switch arguments.count > 2 ? arguments[2] : "app" {
    case "app": return bundle.path
    case "data": return device.dataContainer(of: bundle.identifier)
    case let group:
      throw .system(
        2, "The operation couldn’t be completed. No such file or directory",
        "No such file or directory: this simctl has no containers of groups, such as \(group)")
    }
  }

  private func spawn(_ arguments: [String], in set: DeviceSet) throws(SimulatorFailure) -> Int32 {
    var rest = arguments[...]
    while let option = rest.first, option.hasPrefix("-") { rest = rest.dropFirst() }
    guard rest.count >= 2 else { throw .usage("Usage: simctl \(Subcommand.spawn.synopsis)") }
    let (device, boot) = try set.bootedDevice(rest.removeFirst())
    let name = rest.removeFirst().lastPathComponent
    switch name {
    case "launchctl" where Array(rest) == ["list"]:
      output.print(
        ["PID\tStatus\tLabel"]
          + device.running(boot).map {
            "\($0.pid)\t0\tUIKitApplication:\($0.identifier)[\(String($0.pid, radix: 16))][rb-legacy]"
          })
      return 0
    case "lsopen", "lsregister":
      return Tool.run(name, Array(rest), device.environment(boot), isShown: true).status
    default:
      throw .usage(
        "simctl spawn: \(name) is not available; only 'launchctl list', lsopen and lsregister are")
    }
  }
}
