/// The devices that are known at the time of a decision.
package struct DeviceList: Hashable, Sendable {
  package let devices: [Device]
  /// The reason why devices may be missing; nil when all are listed.
  package let problem: DeviceProblem?

  package init(_ devices: [Device], problem: DeviceProblem? = nil) {
    self.devices = devices
    self.problem = problem
  }

  package static let notAsked = DeviceList([], problem: .notAsked)

  /// The device with an identifier or a name, which can receive a URL now. An identifier goes before a name; case
  /// counts only where two names differ in nothing else.
  package func device(named name: String) throws(OpenFailure) -> Device {
    let found = matches(name)
    guard let device = found.first else {
      let shown = name.quoted
      guard let problem else {
        throw .deviceUnavailable(
          "no device is called \(shown); 'lsregister devices' lists the devices")
      }
      throw .deviceUnavailable(
        "no machine is called \(shown) ('lsregister remote add NAME' adds one that ssh reaches), and phones are not"
          + " known: \(problem.sentence)")
    }
    guard found.count == 1 else {
      throw .deviceUnavailable(
        "\(found.count) devices are called \(name.quoted): name the device by its identifier, which"
          + " 'lsregister devices' prints")
    }
    try device.checkReceives()
    return device
  }

  /// Any device in the network chooses its own name and identifier, so those that can receive a URL go before the others that
  /// the user has paired, and these before strangers.
  private func matches(_ name: String) -> [Device] {
    let paired = devices.filter { $0.transport == .ssh || $0.isPaired }
    let ready = paired.filter { $0.transport == .ssh || $0.isReachable }
    for devices in [ready, paired, devices] {
      let found = Self.matches(name, in: devices)
      if !found.isEmpty { return found }
    }
    return []
  }

  private static func matches(_ name: String, in devices: [Device]) -> [Device] {
    let byIdentifier = devices.filter { $0.id == name }
    if !byIdentifier.isEmpty { return byIdentifier }
    let byName = devices.filter { $0.name == name }
    return byName.isEmpty ? devices.filter { $0.name.lowercased() == name.lowercased() } : byName
  }
}

extension Device {
  /// Fails when a URL cannot be sent to the device now.
  fileprivate func checkReceives() throws(OpenFailure) {
    switch transport {
    case .ssh: return
    case .kdeConnect:
      guard isPaired else {
        throw .deviceUnavailable(
          "\(name) is not paired: run 'kdeconnect-cli --pair --device \(id)', and accept on the"
            + " device")
      }
      guard isReachable else {
        throw .deviceUnavailable(
          "\(name) is not reachable: unlock the device, connect it to the same network and open KDE"
            + " Connect there; 'lsregister devices' shows whether the device is reachable")
      }
    }
  }
}

/// The reason why the devices of KDE Connect are unknown.
package enum DeviceProblem: Hashable, Sendable {
  case notAsked
  /// The daemon has no session bus.
  case noBus
  case notRunning
  case notInstalled
  /// The message bus could not start KDE Connect; in its words.
  case notStarted(String)
  case timedOut(seconds: Int)
  /// The name of KDE Connect on the bus belongs to another program, or KDE Connect has answered with an error.
  case refused(String)

  /// A sentence with the next step, without a full stop.
  package var sentence: String {
    switch self {
    case .notAsked: "KDE Connect was not asked"
    case .noBus:
      "phones need KDE Connect, and launchservicesd has no session bus to reach it; start launchservicesd on a"
        + " session bus"
    case .notRunning:
      "KDE Connect does not run; 'lsregister devices' starts KDE Connect and lists the devices"
    case .notInstalled: "KDE Connect is not installed; install the package kdeconnect"
    case .notStarted(let why):
      "the message bus could not start KDE Connect: \(why); KDE Connect needs a display: run the command in a desktop"
        + " session whose message bus has DISPLAY or WAYLAND_DISPLAY"
    case .timedOut(let seconds):
      "KDE Connect did not answer within \(seconds) s; check whether kdeconnectd hangs"
    case .refused(let why): "KDE Connect cannot be asked: \(why)"
    }
  }
}
