import BusContract
import DBus
import Foundation
import Host
import LaunchServicesTesting
import Testing

/// What the tests of the desktop bridge have in common: the daemon finds the programs of the build, and
/// desktop applications are Python programs that print what they were given to the daemon's log.
@MainActor struct Desktop {
  let world: Testbed

  nonisolated static func isInstalled(_ tool: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + tool)
  }

  nonisolated static let products = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent().path
  static let path = "\(products):/usr/local/bin:/usr/bin:/bin"

  static func run(
    _ options: [String] = [], environment: [String: String] = [:],
    _ body: @MainActor (Testbed, Desktop) async throws -> Void
  ) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let desktop = Desktop(world: world)
      try Self.recorder.write(toFile: desktop.program, atomically: true, encoding: .utf8)
      try await world.startDaemon(options, environment: environment.merging(["PATH": path]) { $1 })
      try await body(world, desktop)
    }
  }

  // MARK: Places

  var program: String { world.folder + "/record.py" }
  var dataHome: String { world.folder + "/data" }
  var entries: String { dataHome + "/applications" }
  var mimeApps: String { world.folder + "/config/mimeapps.list" }

  func contents(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  var exported: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: entries)) ?? [])
      .filter { $0.hasPrefix("org.launchservices.handler.") }.sorted()
  }

  // MARK: Desktop applications

  /// Installs an entry whose program prints what it was given.
  /// - Parameters:
  ///   - arguments: of the program, after its name and before the URL.
  func install(
    _ name: String, schemes: [String], arguments: String = "", fieldCode: String = "%u",
    exec: String? = nil, others: String = ""
  ) async throws {
    let types = schemes.map { "x-scheme-handler/\($0);" }.joined()
    try write(
      "\(entries)/\(name).desktop",
      """
      [Desktop Entry]
      Type=Application
      Name=\(name)
      Exec=\(exec ?? "/usr/bin/python3 \(program) \(name) \(arguments) \(fieldCode)")
      MimeType=\(types)
      \(others)

      """)
    // GIO finds handlers by the index that this makes.
    try await command("update-desktop-database", entries)
  }

  func setDefault(_ scheme: String, _ name: String) throws {
    let before = contents(mimeApps) ?? "[Default Applications]\n"
    try write(mimeApps, before + "x-scheme-handler/\(scheme)=\(name).desktop\n")
  }

  func write(_ path: String, _ text: String) throws {
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// A system application whose program is the bridge.
  func installBridge(
    _ identifier: String, schemes: [String], arguments: [String] = []
  ) async throws {
    let program = (["launchservices-desktop"] + arguments).map { "<string>\($0)</string>" }
    let claims = schemes.map { "<string>\($0)</string>" }
    try write(
      "\(world.folder)/share/launch-services/System/\(identifier).plist",
      """
      <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>\(identifier)</string>
        <key>ProgramArguments</key><array>\(program.joined())</array>
        <key>CFBundleURLTypes</key><array><dict>
          <key>CFBundleURLSchemes</key><array>\(claims.joined())</array>
        </dict></array>
      </dict></plist>
      """)
    try await world.client.reload()
  }

  /// A desktop application that exports `org.freedesktop.Application`, which the bus can start.
  func installActivatable(_ name: String, schemes: [String], isInstalled: Bool = true) async throws
  {
    let script = "\(world.folder)/activatable.py"
    try write(script, Self.activatable)
    if isInstalled {
      try write(
        "\(dataHome)/dbus-1/services/\(name).service",
        "[D-BUS Service]\nName=\(name)\nExec=/usr/bin/python3 \(script) \(name)\n")
    }
    try await install(name, schemes: schemes, others: "DBusActivatable=true")
    _ = try await world.client.call(
      .call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: "ReloadConfig"))
  }

  // MARK: What happened

  /// Waits until the files in some folders are as wanted.
  func wait(for folders: String..., until isRight: @escaping @MainActor () -> Bool) async throws {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let watch = try DirectoryWatch(folders: folders) { _ in continuation.yield() }
    let limit = Deadline(after: Patience.ofTests) { continuation.finish() }
    continuation.yield()
    var isReached = false
    for await _ in changes where isRight() {
      isReached = true
      break
    }
    limit.cancel()
    withExtendedLifetime(watch) {}
    try #require(isReached || isRight(), "the files in \(folders) are not as wanted after a minute")
  }

  var formerClaims: String {
    "\(dataHome)/launch-services/Applications/org.launchservices.desktop.plist"
  }

  /// What a desktop application was given.
  struct Recorded: Decodable, Equatable {
    var arguments: [String]
    var tokens: [String]
    var secrets: [String]
    var isSessionLeader: Bool
    var blockedSignals: String
    var variables = ["DISPLAY": "-", "CHOSEN": "-"]
  }

  func recorded() async throws -> Recorded {
    let line = try await world.daemon.line(containing: "recorded {")
    let json = line.drop { $0 != "{" }
    return try JSONDecoder().decode(Recorded.self, from: Data(json.utf8))
  }

  /// How often a desktop application was started so far.
  var recordings: Int { world.daemon.lines.filter { $0.contains("recorded {") }.count }

  /// Runs a command of the build or of the machine, and waits for its end.
  /// - Parameters:
  ///   - complaint: what it is to write on standard error; then it is to fail.
  ///   - statuses: the exit codes that it may have, without a complaint.
  /// - Returns: what it has written on standard output.
  @discardableResult
  func command(
    _ name: String, _ arguments: String..., complaint: String? = nil, statuses: [Int] = [0],
    environment: [String: String] = [:]
  ) async throws -> [String] {
    let path = Self.path.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    let file = "\(world.folder)/output-\(UUID().uuidString)"
    let variables = world.environment.merging(["PATH": Self.path]) { $1 }
    var launch = Launch(
      executable: try #require(path, "\(name) is missing"), arguments: arguments,
      environment: variables.merging(environment) { $1 },
      workingDirectory: world.environment["HOME"])
    launch.standardOutput = .file(file)
    let process = try world.startProcess(launch)
    let end = try await process.hasEnded()
    if let complaint {
      #expect(end == "exited with code 4")
      try await process.line(containing: complaint)
    } else {
      #expect(
        statuses.contains { end == "exited with code \($0)" },
        "\(name) \(arguments): \(end), \(process.lines)")
    }
    let output = contents(file) ?? ""
    return output.split(separator: "\n").map(String.init)
  }

  /// Chooses how running applications get URLs.
  func handOver(_ words: [String]) async throws {
    let lsregister = try world.startProcess("\(Self.products)/lsregister", ["handover"] + words)
    #expect(try await lsregister.hasEnded() == "exited with code 0", "\(lsregister.lines)")
  }

  private static let activatable = #"""
    import json, os, sys, threading
    import dbus, dbus.service, dbus.mainloop.glib
    from gi.repository import GLib
    name = sys.argv[1]
    class Application(dbus.service.Object):
        @dbus.service.method("org.freedesktop.Application", "asa{sv}", "")
        def Open(self, uris, platform):
            if uris[0].endswith("refused"):
                raise dbus.DBusException("I do not want it")
            if uris[0].endswith("silent"):
                threading.Event().wait()
            if uris[0].endswith("crash"):
                os._exit(3)
            if uris[0].endswith("unknown"):
                raise dbus.DBusException(
                    "as the bus says", name="org.freedesktop.DBus.Error.ServiceUnknown")
            print("opened-by", os.getpid(), json.dumps(
                [list(map(str, uris)), {str(k): str(v) for k, v in sorted(platform.items())}]),
                file=sys.stderr, flush=True)
            if uris[0].endswith("last"):
                GLib.timeout_add(200, lambda: os._exit(0))
        @dbus.service.method("org.freedesktop.Application", "a{sv}", "")
        def Activate(self, platform):
            print("activated", os.getpid(), file=sys.stderr, flush=True)
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    application = Application(bus, "/" + name.replace(".", "/").replace("-", "_"))
    owned = dbus.service.BusName(name, bus)
    GLib.MainLoop().run()
    """#

  private static let recorder = #"""
    import json, os, subprocess, sys, time
    name, arguments = sys.argv[1], sys.argv[2:]
    options = [a for a in arguments if a.startswith("--")]
    status = open("/proc/self/status").read()
    print("recorded " + json.dumps({
        "arguments": [name] + [a for a in arguments if not a.startswith("--")],
        "tokens": [os.environ.get(n, "-") for n in ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")],
        "secrets": sorted(n for n in os.environ if n.startswith("LAUNCH_SERVICES_")),
        "isSessionLeader": os.getsid(0) == os.getpid(),
        "variables": {n: os.environ.get(n, "-") for n in ("DISPLAY", "CHOSEN")},
        "blockedSignals": [l for l in status.splitlines() if l.startswith("SigBlk")][0].split()[1],
    }), flush=True)
    for option in options:
        if option.startswith("--run="):
            print("ran", subprocess.run(option[6:].split("+"), capture_output=True), flush=True)
        if option.startswith("--stay="):
            time.sleep(float(option[7:]))
        if option.startswith("--exit="):
            sys.exit(int(option[7:]))
    """#
}
