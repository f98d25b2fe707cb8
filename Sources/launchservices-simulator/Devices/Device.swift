internal import FoundationEssentials
internal import Glibc
internal import Host

/// A simulated device: a folder with the files of one user, and a bus and a daemon while it is booted.
struct Device {
  /// What is stored about a device.
  struct Description: Codable {
    var udid: String
    var name: String
    var deviceType: String
    var runtime: String
    /// Seconds since 1970.
    var created: Int
    var lastBooted: Int?
  }

  /// What is stored about the processes of a booted device.
  struct Boot: Codable {
    /// A short path, because sockets are in it.
    var runtimeFolder: String
    /// Nil without a bus, as where dbus-daemon is not installed.
    var bus: Bus?
    var daemon: ProcessIdentity
  }

  /// The message bus of a device.
  struct Bus: Codable {
    var address: String
    var process: ProcessIdentity
  }

  /// A process, so that another one with its number is not mistaken for it.
  struct ProcessIdentity: Codable {
    var pid: Int32
    /// In clock ticks since the start of the machine.
    var startTime: UInt64

    init(_ pid: Int32) {
      self.pid = pid
      startTime = ProcessDetails(of: pid)?.startTime ?? 0
    }

    var runs: Bool {
      guard pid > 0, let process = ProcessDetails(of: pid) else { return false }
      return process.startTime == startTime && !process.hasEnded
    }
  }

  var description: Description
  /// The absolute path of the device.
  let folder: String

  var udid: String { description.udid }
  var dataPath: String { folder + "/data" }
  var logPath: String { folder + "/Logs" }
  private var bootFile: String { folder + "/boot.json" }

  /// The processes of the device; nil when it is shut down.
  var boot: Boot? {
    lastBoot.flatMap { $0.daemon.runs && $0.bus?.process.runs ?? true ? $0 : nil }
  }

  /// The processes of a device that nobody has shut down; its daemon or its bus may have ended.
  var lastBoot: Boot? {
    guard let bytes = try? Data(contentsOf: URL(filePath: bootFile)) else { return nil }
    return try? JSONDecoder().decode(Boot.self, from: bytes)
  }

  var isBooted: Bool { boot != nil }
  var state: String { isBooted ? "Booted" : "Shutdown" }

  func store() throws {
    try JSONEncoder().encode(description).write(
      to: URL(filePath: folder + "/device.json"), options: .atomic)
  }

  func store(_ boot: Boot?) throws {
    if let boot {
      try JSONEncoder().encode(boot).write(to: URL(filePath: bootFile), options: .atomic)
    } else {
      try? FileManager.default.removeItem(atPath: bootFile)
    }
  }

  /// The variables of all processes of the device. Nothing of the caller's folders and bus is passed on.
  func environment(_ boot: Boot) -> [String: String] {
    environment(boot.runtimeFolder, boot.bus)
  }

  func environment(_ runtimeFolder: String, _ bus: Bus?) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { name, _ in
      ["PATH", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "TERM"].contains(name)
    }
    environment["HOME"] = dataPath
    environment["XDG_DATA_HOME"] = dataPath + "/share"
    environment["XDG_DATA_DIRS"] = dataPath + "/system"
    environment["XDG_CONFIG_HOME"] = dataPath + "/config"
    environment["XDG_CONFIG_DIRS"] = dataPath + "/system"
    environment["XDG_STATE_HOME"] = dataPath + "/state"
    environment["XDG_CACHE_HOME"] = dataPath + "/cache"
    environment["XDG_RUNTIME_DIR"] = runtimeFolder
    environment["LANG"] = "C.UTF-8"
    environment["DBUS_SESSION_BUS_ADDRESS"] = bus?.address
    environment["LAUNCH_SERVICES_SIMULATOR"] = udid
    return environment
  }
}
