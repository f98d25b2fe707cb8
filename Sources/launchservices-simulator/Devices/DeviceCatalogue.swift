/// The kinds of devices and the systems that scripts can name. They differ in nothing but their names.
enum DeviceCatalogue {
  struct DeviceType {
    let name: String
    var identifier: String {
      let name = name.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
      return "com.apple.CoreSimulator.SimDeviceType." + name
    }
  }

  struct Runtime {
    let version: String
    let build: String
    var name: String { "iOS \(version)" }
    var identifier: String {
      "com.apple.CoreSimulator.SimRuntime.iOS-"
        + version.split(separator: ".").joined(separator: "-")
    }
  }

  static let deviceTypes = [
    "iPhone SE (3rd generation)", "iPhone 14", "iPhone 15", "iPhone 15 Pro", "iPhone 16",
    "iPhone 16 Plus", "iPhone 16 Pro", "iPhone 16 Pro Max", "iPhone 17", "iPhone 17 Pro",
    "iPad (10th generation)", "iPad Pro 11-inch (M4)",
  ].map(DeviceType.init)

  static let runtimes = [
    Runtime(version: "17.5", build: "21F79"), Runtime(version: "18.0", build: "22A3351"),
    Runtime(version: "26.0", build: "23A343"),
  ]

  /// The devices of a new device set: names, with the version of the system.
  static let first = [
    ("iPhone 15", "17.5"), ("iPhone 16", "18.0"), ("iPad Pro 11-inch (M4)", "18.0"),
    ("iPhone 17", "26.0"),
  ]

  static func deviceType(_ text: String) -> DeviceType? {
    deviceTypes.first { $0.name == text || $0.identifier == text }
  }

  /// The newest runtime without a name.
  static func runtime(_ text: String?) -> Runtime? {
    guard let text else { return runtimes.last }
    return runtimes.first {
      [$0.name, $0.identifier, $0.version, "iOS" + $0.version].contains(text)
    }
  }
}
