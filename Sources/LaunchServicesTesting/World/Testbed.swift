internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import FoundationEssentials
internal import Glibc
package import Host

/// A private environment for one test: a message bus, the folders of a user, the real daemon, and
/// applications whose programs perform scripts.
///
///     try await Testbed.run { world in
///       let photos = try await world.install("com.example.photos", schemes: ["photos"])
///       let receipt = try await world.client.open("photos:1")
///       #expect(receipt.outcome == .init(.cold, .delivered, handled: true))
///     }
@MainActor public final class Testbed {
  private var connected: TestClient?
  /// The daemon that was started last.
  public private(set) var daemon: ObservedProcess!
  let folders: TestbedFolders
  /// Nil without a bus.
  let director: Director?
  /// Nil for a daemon with direct connections only.
  private let bus: PrivateBus?
  private var userManager: UserManager?
  private var clients: [TestClient] = []
  private var processes: [ObservedProcess] = []

  private init(_ folders: TestbedFolders, hasBus: Bool) async throws {
    self.folders = folders
    guard hasBus else {
      (bus, director) = (nil, nil)
      return
    }
    let bus = try await PrivateBus(
      in: folders.root, services: folders.busServices,
      environment: folders.environment(busAddress: nil))
    self.bus = bus
    let client = try TestClient(address: bus.address)
    connected = client
    let director = try Director(address: bus.address)
    self.director = director
    processes = [bus.process]
    try await client.listen()
    try await director.listen()
  }

  /// A connection that does not belong to an application. Without a bus, there is none before the daemon has started.
  public var client: TestClient {
    guard let connected else { preconditionFailure("startDaemon() makes the connection") }
    return connected
  }

  /// Makes a testbed, runs `body` in it, and ends all its processes. Throws the error of `body`; otherwise
  /// throws when the daemon failed or when processes had to be killed.
  /// - Parameters:
  ///   - options: The command line of the daemon.
  ///   - startsDaemon: False if `body` calls `startDaemon` itself.
  ///   - hasBus: False for a daemon with direct connections only, which needs no `dbus-daemon`. Then `install` and
  ///     `newClient` are not possible.
  ///   - withUserManager: Whether a `systemd --user` is on the bus, so that applications run as its units.
  ///     Nil to use the variable `LAUNCH_SERVICES_TEST_LAUNCHER`: true for `systemd`.
  ///   - withSystemApplications: Whether the world has Phone, Safari and the other system applications, with
  ///     stand-ins as their programs. Then, as on a device, no other application gets the URLs of schemes such as
  ///     `tel`, and Safari gets web links that no application claims.
  ///   - body: The test.
  public static func run(
    _ options: [String] = [], startsDaemon: Bool = true, hasBus: Bool = true,
    withUserManager: Bool? = nil, withSystemApplications: Bool = false,
    _ body: @MainActor (Testbed) async throws -> Void
  ) async throws {
    try await run(
      options, startsDaemon, hasBus, withUserManager, withSystemApplications, nil, nil, body)
  }

  /// Makes a testbed without a daemon, whose processes and folder do not outlive this process, also when it is killed.
  /// - Parameters:
  ///   - command: starts the process that ends them.
  ///   - keep: called with the path of the folder after the end of the processes, also after an error; the folder is then
  ///     not removed. Nil to remove it.
  package static func run(
    hasBus: Bool, guardedBy command: TestbedGuardCommand, keep: ((String) -> Void)? = nil,
    _ body: @MainActor (Testbed) async throws -> Void
  ) async throws {
    try await run([], false, hasBus, false, false, command, keep, body)
  }

  private static func run(
    _ options: [String], _ startsDaemon: Bool, _ hasBus: Bool, _ withUserManager: Bool?,
    _ withSystemApplications: Bool, _ guardCommand: TestbedGuardCommand?,
    _ keep: ((String) -> Void)?, _ body: @MainActor (Testbed) async throws -> Void
  ) async throws {
    await Turnstile.testbeds.enter()
    defer { Turnstile.testbeds.leave() }
    let folders = try TestbedFolders()
    var ownGuard: TestbedGuard?
    func close() async {
      if let keep { keep(folders.root) } else { await folders.remove() }
      await ownGuard?.end()
    }
    do {
      ownGuard = try guardCommand.map { try TestbedGuard(of: folders.root, $0) }
      if withSystemApplications { try folders.writeSystemApplications() }
      try await run(in: folders, options, startsDaemon, hasBus, withUserManager, body)
    } catch {
      await close()
      throw error
    }
    await close()
  }

  private static func run(
    in folders: TestbedFolders, _ options: [String], _ startsDaemon: Bool, _ hasBus: Bool,
    _ withUserManager: Bool?, _ body: @MainActor (Testbed) async throws -> Void
  ) async throws {
    let world = try await Testbed(folders, hasBus: hasBus)
    do {
      if hasBus, withUserManager ?? usesUserManager { try await world.startUserManager() }
      if startsDaemon { try await world.startDaemon(options) }
      try await body(world)
    } catch {
      world.showLog(of: error)
      try? await world.end()
      throw error
    }
    try await world.end()
  }

  /// The reason why testbeds cannot have a user manager; nil if they can.
  public nonisolated static var userManagerProblem: String? { UserManager.problem }

  /// Whether testbeds have a user manager by default.
  public nonisolated static var usesUserManager: Bool {
    ProcessInfo.processInfo.environment["LAUNCH_SERVICES_TEST_LAUNCHER"] == "systemd"
  }

  /// The environment of all processes of the testbed; the daemon passes it on to applications.
  public var environment: [String: String] { folders.environment(busAddress: bus?.address) }
  /// The temporary folder of this testbed, which is removed at the end.
  public var folder: String { folders.root }
  /// The folder of the user's applications.
  public var applicationsFolder: String { folders.applications }

  /// A direct connection to the daemon that does not belong to an application.
  public func newDirectClient() async throws -> TestClient {
    // The daemon owns its bus name shortly before it accepts direct connections.
    for _ in 0..<100 {
      if let client = try? TestClient(directIn: environment) { return client }
      try await client.ping()
    }
    return try TestClient(directIn: environment)
  }

  /// Another connection to the bus that does not belong to an application.
  public func newClient() async throws -> TestClient {
    guard let bus else { throw TestbedFailure("this testbed has no bus") }
    let client = try TestClient(address: bus.address)
    try await client.listen()
    clients.append(client)
    return client
  }

  /// Closes the connection of a client, and waits until the bus has removed it.
  public func disconnect(_ other: TestClient) async throws {
    guard let connection = other.session.connection else { return }
    let name = connection.uniqueName
    connection.close()
    try await waitUntil("the end of the connection \(name)") {
      try await client.call(MessageBus.hasOwner(name)).first == .boolean(false)
    }
  }
}

// MARK: - Processes

extension Testbed {
  /// Starts the daemon and waits until it owns its bus name, and has read the registry.
  /// - Parameters:
  ///   - options: Options of its command line.
  ///   - additions: Environment variables besides those of the testbed.
  ///   - untilRead: False to wait only until it owns its bus name.
  public func startDaemon(
    _ options: [String] = [], environment additions: [String: String] = [:],
    untilRead: Bool = true
  ) async throws {
    try await startDaemon(by: [], options, environment: additions, untilRead: untilRead)
  }

  /// Starts the daemon with another program, which executes the daemon.
  /// - Parameter command: The program and its arguments; the daemon's path and options follow them.
  package func startDaemon(
    by command: [String], _ options: [String] = [], environment additions: [String: String] = [:],
    untilRead: Bool = true
  ) async throws {
    // A test that fetches association files overrides this option.
    let options =
      ["--fetch-associations", "no"] + (bus == nil ? ["--direct-only"] : []) + options
    let words = command + [try Programs.find("launchservicesd")] + options
    let daemon = try startProcess(words[0], Array(words.dropFirst()), environment: additions)
    self.daemon = daemon
    if bus == nil {
      connected = try await directClient(of: daemon)
    } else {
      try await client.comes(daemon)
    }
    // The daemon answers the first call when it has read the registry.
    if untilRead { _ = try? await client.call(Contract.ping()) }
  }

  /// Connects to a daemon without a bus as soon as it accepts connections.
  private func directClient(of daemon: ObservedProcess) async throws -> TestClient {
    while true {
      if let client = try? TestClient(directIn: environment) { return client }
      guard daemon.isRunning else {
        throw TestbedFailure(
          "the daemon \(try await daemon.hasEnded()) before it accepted connections; it wrote:\n"
            + daemon.lines.joined(separator: "\n"))
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Starts a `systemd --user` and waits until it owns its bus name.
  private func startUserManager() async throws {
    let manager = try UserManager(folders, environment: environment)
    userManager = manager
    processes.append(manager.process)
    try await client.comes("org.freedesktop.systemd1", of: manager.process)
  }

  /// Ends the daemon with SIGTERM and returns how it ended, such as `exited with code 0`.
  @discardableResult public func stopDaemon() async throws -> String {
    try await daemon.stop()
  }

  /// Ends the daemon with SIGKILL.
  public func killDaemon() async throws {
    daemon.signal(SIGKILL)
    _ = try await daemon.hasEnded()
  }

  /// Ends the daemon and starts another one with the same folders.
  public func restartDaemon(_ options: [String] = []) async throws {
    try await stopDaemon()
    try await startDaemon(options)
  }

  /// Starts a program of the build, or of `PATH`, in this testbed.
  @discardableResult public func startProcess(
    _ program: String, _ arguments: [String] = [], environment additions: [String: String] = [:]
  ) throws -> ObservedProcess {
    try startProcess(
      Launch(
        executable: program.hasPrefix("/") ? program : try Programs.find(program),
        arguments: arguments, environment: environment.merging(additions) { $1 },
        workingDirectory: folders.home))
  }

  package func startProcess(_ launch: Launch) throws -> ObservedProcess {
    let process = try ObservedProcess(launch)
    processes.append(process)
    return process
  }

  /// The `systemd --user`, if there is one.
  public var userManagerProcess: ObservedProcess? { userManager?.process }

  /// The message bus.
  public var busProcess: ObservedProcess {
    guard let bus else { preconditionFailure("this testbed has no bus") }
    return bus.process
  }

  /// Ends the bus while clients are connected.
  public func endBus() async throws { try await bus?.end() }

  /// Ends all processes, also after failures; throws the first error.
  private func end() async throws {
    var complaint: (any Error)?
    func trying(_ body: () async throws -> Void) async {
      do { try await body() } catch { complaint = complaint ?? error }
    }
    let leftovers = Leftovers(folder: folders.root, known: Set(processes.map(\.pid)))
    // Ended before the daemon, because their parent must reap them.
    await trying { try await leftovers.end() }
    if let daemon, daemon.end == nil {
      // The daemon answers this call after it has noticed the ends.
      _ = try? await client.call(Contract.ping())
      await trying {
        let how = try await daemon.stop()
        guard how == "exited with code 0" else {
          throw TestbedFailure("at the end of the test the daemon \(how)")
        }
      }
    }
    if let bus, bus.process.end == nil { await trying { try await bus.end() } }
    for process in processes { await process.kill() }
    await trying { try await leftovers.end() }
    userManager?.removeGroups()
    if let complaint { throw complaint }
  }
}
