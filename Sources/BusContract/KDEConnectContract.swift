package import DBus
package import LaunchRules

/// The interface of KDE Connect on the session bus, of the versions 22.12 and later.
package enum KDEConnectContract {
  package static let busName: BusName = "org.kde.kdeconnect"
  private static let daemonPath: ObjectPath = "/modules/kdeconnect"
  private static let daemon: InterfaceName = "org.kde.kdeconnect.daemon"
  private static let device: InterfaceName = "org.kde.kdeconnect.device"
  private static let share: InterfaceName = "org.kde.kdeconnect.device.share"

  /// Maximum number of devices that are asked about.
  package static let mostDevices = 32

  /// The identifiers of the devices that the daemon of KDE Connect knows, reachable or not.
  /// - Parameters:
  ///   - onlyPaired: whether devices that the user has not paired are left out.
  ///   - owner: the connection that owns `busName`.
  package static func devices(onlyPaired: Bool, _ owner: BusName) -> Message {
    .call(
      to: owner, path: daemonPath, interface: daemon, member: "devices",
      [.boolean(false), .boolean(onlyPaired)])
  }

  /// The properties of a device; nil when the identifier cannot be part of a path.
  package static func properties(of id: String, _ owner: BusName) -> Message? {
    ObjectPath("\(daemonPath)/devices/\(id)").map {
      .call(
        to: owner, path: $0, interface: Contract.properties.name, member: "GetAll",
        [.string(device.text)])
    }
  }

  /// Sends a URL to a device. The reply confirms that the daemon of KDE Connect has taken the URL.
  package static func shareURL(_ url: String, with id: String, _ owner: BusName) -> Message? {
    ObjectPath("\(daemonPath)/devices/\(id)/share").map {
      .call(to: owner, path: $0, interface: share, member: "shareUrl", [.string(url)])
    }
  }

  /// Reads the properties of a device; nil when the identifier or the name is missing.
  package static func device(_ id: String, _ properties: Options) -> Device? {
    // Renamed in 23.08.
    let isPaired =
      properties["isPaired"]?.asBoolean ?? properties["isTrusted"]?.asBoolean ?? false
    return Device(
      id: id, name: properties["name"]?.asString ?? id,
      kind: Device.Kind(type: properties["type"]?.asString ?? ""), isPaired: isPaired,
      isReachable: properties["isReachable"]?.asBoolean ?? false)
  }

  /// The meaning of an answer to `shareURL`.
  package static func answer(_ result: Result<[Value], BusError>) -> DeviceRule.Answer {
    switch result {
    case .success: return .taken
    case .failure(let error):
      guard error.name.text.hasPrefix(prefix) else { return .refused(error.text) }
      switch error.name.text.dropFirst(prefix.count) {
      case "UnknownObject", "UnknownInterface", "UnknownMethod", "ServiceUnknown",
        "NameHasNoOwner":
        return .absent(error.text)
      case "NoReply", "Timeout", "TimedOut", "Disconnected": return .unanswered(error.text)
      default: return .refused(error.text)
      }
    }
  }

  private static let prefix = "org.freedesktop.DBus.Error."
}
