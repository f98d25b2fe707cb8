internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchServicesTesting

/// Starts and ends the bus and the daemon of a device. They go on after the command has ended.
extension Device {
  /// The time that the daemon may take to answer, in milliseconds.
  private static let longestStart = 20_000

  mutating func start() throws(SimulatorFailure) {
    if isBooted { throw .state("boot device", "Booted") }
    var runtime = Array("/tmp/launch-services-simulator-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&runtime) != nil else {
      let reason = unsafe String(cString: strerror(errno))
      throw .machine("no folder can be made in /tmp: \(reason)")
    }
    let folder = String(decoding: runtime.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    do throws(SimulatorFailure) {
      try start(in: folder)
    } catch {
      try? FileManager.default.removeItem(atPath: folder)
      throw error
    }
  }

  private mutating func start(in runtime: String) throws(SimulatorFailure) {
    let address = "unix:path=\(runtime)/bus"
    let log = logPath + "/launchservicesd.log"
    var processes: [Int32] = []
    do {
      for folder in [logPath, dataPath + "/system", dataPath + "/share"] {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
      }
      let file = runtime + "/bus.conf"
      try Self.busConfiguration(address).write(toFile: file, atomically: false, encoding: .utf8)
      let environment = environmentWithoutBus(runtime)
      let bus = try spawn(
        Launch(
          executable: try Programs.find("dbus-daemon"),
          arguments: ["--config-file=\(file)", "--nofork", "--nopidfile"],
          environment: environment, workingDirectory: "/", standardOutput: .file(log),
          standardError: .file(log)))
      processes.append(bus)
      try Self.wait(for: bus, "dbus-daemon", log) {
        FileManager.default.fileExists(atPath: runtime + "/bus")
      }
      var ofDaemon = environment
      ofDaemon["DBUS_SESSION_BUS_ADDRESS"] = address
      let daemon = try spawn(
        Launch(
          executable: try Programs.find("launchservicesd"),
          arguments: ["--launcher", "spawn", "--fetch-associations", "no"], environment: ofDaemon,
          workingDirectory: "/", standardOutput: .file(log), standardError: .file(log)))
      processes.append(daemon)
      let boot = Boot(
        runtimeFolder: runtime, busAddress: address, bus: ProcessIdentity(bus),
        daemon: ProcessIdentity(daemon))
      try Self.wait(for: daemon, "launchservicesd", log) {
        Tool.run("lsregister", ["list"], self.environment(boot)).status == 0
      }
      try store(boot)
      description.lastBooted = Int(Date().timeIntervalSince1970)
      try store()
    } catch {
      for pid in processes { kill(pid, SIGKILL) }
      throw error as? SimulatorFailure
        ?? .machine("the device cannot be started: \(error); see \(log)")
    }
  }

  private static func wait(
    for pid: Int32, _ name: String, _ log: String, _ condition: () -> Bool
  ) throws(SimulatorFailure) {
    for _ in 0..<(longestStart / 20) {
      if condition() { return }
      guard let process = ProcessDetails(of: pid), !process.hasEnded else { break }
      usleep(20_000)
    }
    throw .machine("\(name) does not answer; see \(log)")
  }

  func shutDown() throws(SimulatorFailure) {
    guard let boot else { throw .state("shutdown device", "Shutdown") }
    // The daemon ends its applications.
    Self.end(boot.daemon)
    Self.end(boot.bus)
    try? FileManager.default.removeItem(atPath: boot.runtimeFolder)
    do { try store(nil) } catch { throw .machine("\(error)") }
  }

  static func end(_ process: ProcessIdentity, within milliseconds: Int = 10_000) {
    guard process.runs else { return }
    kill(process.pid, SIGTERM)
    for _ in 0..<(milliseconds / 20) {
      // The process may be a child of this command.
      waitpid(process.pid, nil, WNOHANG)
      guard process.runs else { return }
      usleep(20_000)
    }
    kill(process.pid, SIGKILL)
  }

  private static func busConfiguration(_ address: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>\(address)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """
  }
}
