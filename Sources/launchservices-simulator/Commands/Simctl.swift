internal import Commands
internal import Foundation
internal import LaunchServicesTesting

/// `xcrun simctl`: the subcommands that tests of deep links call, with the outputs and the statuses that scripts read.
struct Simctl {
  let output: Output

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

  func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }
}
