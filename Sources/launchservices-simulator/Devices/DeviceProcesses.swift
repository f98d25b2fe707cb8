internal import ApplicationFolders
internal import CHost
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchServicesTesting
internal import StubApplications

/// Starts and ends the bus and the daemon of a device. They go on after the command has ended.
extension Device {
  /// The time that the daemon may take to answer, in milliseconds.
  private static let longestStart = 20_000

  /// Waits until a process has ended that another process started.
  static func waitForEnd(of pid: Int32) {
    let process = chost_pidfd_open(pid)
    guard process >= 0 else { return }
    defer { close(process) }
    var watch = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&watch, 1, -1) < 0, errno == EINTR {}
  }

  mutating func start() throws(SimulatorFailure) {
    if isBooted { throw .state("boot device", "Booted") }
    if lastBoot != nil { try shutDown() }
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
    var processes: [Int32] = []
    do {
      for folder in [logPath, dataPath + "/system", dataPath + "/share"] {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
      }
      try writeSystemApplications()
      let bus = try (try? Programs.find("dbus-daemon")).map {
        try startBus($0, in: runtime, &processes)
      }
      var options = ["--launcher", "spawn", "--fetch-associations", "no"]
      if bus == nil { options.append("--direct-only") }
      let daemon = try spawn(
        Launch(
          executable: try Programs.find("launchservicesd"), arguments: options,
          environment: environment(runtime, bus), workingDirectory: "/",
          standardOutput: .file(log), standardError: .file(log)))
      processes.append(daemon)
      let boot = Boot(runtimeFolder: runtime, bus: bus, daemon: ProcessIdentity(daemon))
      try Self.wait(for: daemon, "launchservicesd", log) {
        Tool.run("lsregister", ["list"], environment(boot)).status == 0
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

  /// Phone, Safari and the others have stand-ins, as in a world of `lstest`.
  private func writeSystemApplications() throws {
    let programs = try Programs.find("launchservicesd").split(separator: "/").dropLast()
    let name = ApplicationFolder.systemFolder
    guard let lists = InstalledFolder.shared(name, with: "/" + programs.joined(separator: "/"))
    else { return }
    let stub = StubPropertyList(program: try Programs.find(StubPropertyList.program))
    _ = try SystemStubs(of: lists, stub).write(to: "\(dataPath)/system/\(name)")
  }

  private var log: String { logPath + "/launchservicesd.log" }

  /// - Parameter program: the path of dbus-daemon.
  private func startBus(
    _ program: String, in runtime: String, _ processes: inout [Int32]
  ) throws -> Bus {
    let address = "unix:path=\(runtime)/bus"
    let file = runtime + "/bus.conf"
    try Self.busConfiguration(address).write(toFile: file, atomically: false, encoding: .utf8)
    let process = try spawn(
      Launch(
        executable: program, arguments: ["--config-file=\(file)", "--nofork", "--nopidfile"],
        environment: environment(runtime, nil), workingDirectory: "/",
        standardOutput: .file(log), standardError: .file(log)))
    processes.append(process)
    try Self.wait(for: process, "dbus-daemon", log) {
      FileManager.default.fileExists(atPath: runtime + "/bus")
    }
    return Bus(address: address, process: ProcessIdentity(process))
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
    guard let boot = lastBoot else { throw .state("shutdown device", "Shutdown") }
    // The daemon ends its applications.
    Self.end(boot.daemon)
    if let bus = boot.bus { Self.end(bus.process) }
    // A daemon that was killed leaves its applications, and what they have started.
    for process in Leftovers.processes(with: "XDG_RUNTIME_DIR=\(boot.runtimeFolder)") {
      Self.end(ProcessIdentity(process), within: 2000)
    }
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
