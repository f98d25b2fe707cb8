internal import Commands
internal import Foundation
internal import LaunchServicesTesting

/// The subcommands about the applications of a device.
extension Simctl {
  func openURL(
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

  func launch(_ arguments: [String], in set: DeviceSet) throws(SimulatorFailure) {
    var rest = arguments[...]
    var terminates = false
    var isShown = false
    var options: [String] = []
    while let option = rest.first, option.hasPrefix("-") {
      rest = rest.dropFirst()
      let parts = option.split(separator: "=", maxSplits: 1)
      switch parts[0] {
      case "--terminate-running-process", "--terminate-running", "-t": terminates = true
      case "--console", "--console-pty": isShown = true
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
    if isShown {
      // The streams of this command, for lsopen, whose own ones carry the receipt.
      let streams = "/proc/\(ProcessInfo.processInfo.processIdentifier)/fd"
      options += ["-o", "\(streams)/1", "--stderr", "\(streams)/2"]
    }
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
    if isShown { Device.waitForEnd(of: Int32(clamping: pid)) }
  }

  func container(_ arguments: [String], _ device: Device) throws(SimulatorFailure) -> String {
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

  func spawn(_ arguments: [String], in set: DeviceSet) throws(SimulatorFailure) -> Int32 {
    var rest = arguments[...]
    while let option = rest.first, option.hasPrefix("-") { rest = rest.dropFirst() }
    guard rest.count >= 2 else { throw .usage("Usage: simctl \(Subcommand.spawn.synopsis)") }
    let (device, boot) = try set.bootedDevice(rest.removeFirst())
    let name = rest.removeFirst().lastPathComponent
    switch name {
    case "launchctl" where Array(rest) == ["list"]:
      output.print(
        rows: [["PID", "Status", "Label"]]
          + device.running(boot).map {
            let number = String($0.pid, radix: 16)
            return ["\($0.pid)", "0", "UIKitApplication:\($0.identifier)[\(number)][rb-legacy]"]
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
