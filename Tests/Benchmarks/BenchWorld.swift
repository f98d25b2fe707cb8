internal import BusContract
internal import Commands
internal import DBus
internal import FoundationEssentials
internal import Glibc
internal import Host

/// A private bus with a daemon and one application, all of this run's own.
@MainActor
final class BenchWorld {
  let folder: String
  let connection: Connection
  private var processes: [Int32] = []
  let daemon: Int32
  private let bus: String

  static let application = "com.example.lsbench"
  /// The daemon gives memory back after four seconds without work, at most eight seconds after the last.
  static let secondsUntilIdle: UInt32 = 9
  private static let executable = realPath("/proc/self/exe") ?? "/"
  /// The folder of the programs of this build.
  static let products = String(
    executable[..<(executable.lastIndex(of: "/") ?? executable.startIndex)])
  /// Of an application that hears from the daemon over the bus.
  static let busURL = "lsbench-bus:x"
  /// Of an application that never answers.
  static let hungURL = "lsbench-hung:x"
  /// Of an application that ends after each URL.
  static let onceURL = "lsbench-once:x"

  init(usingCallgrind: Bool = false) throws(CommandFailure) {
    folder = FileManager.default.temporaryDirectory.path + "/lsbench-\(randomToken().prefix(12))"
    let executable = Self.executable
    let address = "unix:path=\(folder)/bus"
    bus = address
    let environment = Self.environment(folder, address)
    do {
      for (suffix, option) in [
        ("", "--direct"), ("-bus", "--handler"), ("-hung", "--hang"), ("-once", "--once"),
      ] {
        let propertyList = Self.propertyList(
          application: Self.application + suffix, executable, option)
        try AtomicFile.write(
          Array(propertyList.utf8),
          to: folder + "/data/launch-services/Applications/lsbench\(suffix).plist")
      }
      try AtomicFile.write(
        Array(Self.desktopEntry.utf8), to: folder + "/data/applications/lsbench.desktop")
      try AtomicFile.write(
        Array(Self.mimeDefaults.utf8), to: folder + "/config/mimeapps.list")
      _ = unsafe mkdir(folder + "/runtime", 0o700)
      let busDaemon = try spawn(
        Launch(
          executable: Self.guarded,
          arguments: Self.guardedArguments([
            "/usr/bin/dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)",
          ]),
          environment: environment, standardError: .nothing))
      processes.append(busDaemon)
      connection = try Self.retrying { () throws(BusError) in try Connection(address: address) }
      let program = Self.products + "/launchservicesd"
      let command = usingCallgrind ? try Callgrind.command(program, in: folder) : [program]
      daemon = try spawn(
        Launch(
          executable: Self.guarded,
          arguments: Self.guardedArguments(command + ["--log-level", "error"]),
          environment: environment))
      processes.append(daemon)
      let connection = connection
      _ = try Self.retrying { () throws(BusError) in
        try connection.callAndWait(Contract.ping(), milliseconds: 1000)
      }
    } catch {
      for pid in processes { kill(pid, SIGTERM) }
      throw CommandFailure(.failed, "the private bus could not be set up: \(error)")
    }
  }

  func end() {
    for pid in processes.reversed() {
      kill(pid, SIGTERM)
      waitpid(pid, nil, 0)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static let remote = "lsbench"

  /// Makes a remote that may open URLs of another application than that of bystanders.
  func addRemote() throws(CommandFailure) {
    let scheme = String(Self.busURL.prefix { $0 != ":" })
    do throws(BusError) {
      _ = try connection.callAndWait(Contract.addRemote(Self.remote))
      _ = try connection.callAndWait(Contract.setRemoteSchemes(Self.remote, [scheme: "allow"]))
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  /// The path of the socket of that remote.
  static func remoteSocket(in runtimeFolder: String) -> String {
    "\(RemoteSocket.folder(runtimeFolder: runtimeFolder))/\(remote)/\(RemoteSocket.fileName)"
  }

  /// A new connection to the daemon itself.
  func directConnection() throws(CommandFailure) -> Connection {
    let environment = Self.environment(folder, bus)
    guard let path = DirectSocket.path({ environment[$0] }),
      let connection = try? Connection(socket: path)
    else { throw CommandFailure(.failed, "the daemon takes no direct connections") }
    return connection
  }

  /// setpriv(1) becomes the program, which the kernel ends when this process ends, however it ends.
  private static let guarded = "/usr/bin/setpriv"

  private static func guardedArguments(_ command: [String]) -> [String] {
    ["--pdeathsig", "TERM", "--"] + command
  }

  /// Seconds until a process that is started has connected to the bus.
  func timeToConnect() throws(CommandFailure) -> Double {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw CommandFailure(.failed, "no pipe can be made")
    }
    defer { close(ends[0]) }
    let start = ContinuousClock.now
    let pid: Int32
    do throws(SpawnError) {
      pid = try spawn(
        Launch(
          executable: Self.products + "/lsbench", arguments: ["--connect"],
          environment: Self.environment(folder, bus), standardOutput: .descriptor(ends[1])))
    } catch {
      close(ends[1])
      throw CommandFailure(.failed, error.description)
    }
    close(ends[1])
    var byte: UInt8 = 0
    let count = unsafe read(ends[0], &byte, 1)
    let end = ContinuousClock.now
    waitpid(pid, nil, 0)
    guard count == 1 else { throw CommandFailure(.failed, "lsbench --connect could not connect") }
    return (end - start) / .seconds(1)
  }

  /// Starts a program of this build; end it with `stop`.
  func start(
    _ program: String, _ arguments: [String], standardOutput: Launch.Stream = .inherited,
    standardError: Launch.Stream = .inherited
  ) throws(CommandFailure) -> Int32 {
    do throws(SpawnError) {
      return try spawn(
        Launch(
          executable: Self.products + "/" + program, arguments: arguments,
          environment: Self.environment(folder, bus), standardOutput: standardOutput,
          standardError: standardError))
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  func stop(_ pid: Int32) {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  /// Wall-clock seconds of one run of a command that must succeed.
  func time(_ executable: String, _ arguments: [String]) throws(CommandFailure) -> Double {
    let start = ContinuousClock.now
    let pid: Int32
    do throws(SpawnError) {
      pid = try spawn(
        Launch(
          executable: executable, arguments: arguments,
          environment: Self.environment(folder, bus), standardOutput: .nothing))
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    var status: Int32 = 0
    unsafe waitpid(pid, &status, 0)
    let end = ContinuousClock.now
    guard status == 0 else {
      throw CommandFailure(.failed, "\(executable) ended with wait status \(status)")
    }
    return (end - start) / .seconds(1)
  }

  func residentKilobytes() throws(CommandFailure) -> Int { try Self.residentKilobytes(of: daemon) }

  static func residentKilobytes(of pid: Int32) throws(CommandFailure) -> Int {
    guard let status = try? RegularFile.read("/proc/\(pid)/status", atMost: 65536).bytes,
      let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
        .first(where: { $0.hasPrefix("VmRSS:") }),
      let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first,
      let kilobytes = Int(number)
    else { throw CommandFailure(.failed, "the memory of the daemon cannot be read") }
    return kilobytes
  }

  static func retrying<Result>(
    _ body: () throws(BusError) -> Result
  ) throws(BusError) -> Result {
    for _ in 0..<3000 {
      if let result = try? body() { return result }
      poll(nil, 0, 10)
    }
    return try body()
  }

  /// With a display that nobody needs: xdg-open asks the desktop for its applications only where there is
  /// one.
  static func environment(_ folder: String, _ address: String) -> [String: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "XDG_DATA_HOME": folder + "/data",
      "XDG_DATA_DIRS": folder + "/system", "XDG_CONFIG_HOME": folder + "/config",
      "XDG_STATE_HOME": folder + "/state", "XDG_CACHE_HOME": folder + "/cache",
      "XDG_RUNTIME_DIR": folder + "/runtime", "DBUS_SESSION_BUS_ADDRESS": address,
      "DISPLAY": ":0",
    ]
  }

  /// What the openers of the desktop know, beside our property lists.
  private static let desktopEntry = """
    [Desktop Entry]
    Type=Application
    Name=lsbench
    Exec=/bin/true %u
    MimeType=x-scheme-handler/lsbench-desktop;

    """
  private static let mimeDefaults = """
    [Default Applications]
    x-scheme-handler/lsbench-desktop=lsbench.desktop

    """

  private static func propertyList(
    application: String, _ executable: String, _ option: String
  ) -> String {
    let scheme = application.split(separator: ".").last ?? ""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>\(application)</string>
        <key>ProgramArguments</key>
        <array><string>\(executable)</string><string>\(option)</string></array>
        <key>CFBundleURLTypes</key>
        <array><dict>
          <key>CFBundleURLSchemes</key><array><string>\(scheme)</string></array>
        </dict></array>
        <key>LSApplicationQueriesSchemes</key><array><string>lsbench</string></array>
      </dict></plist>
      """
  }
}
