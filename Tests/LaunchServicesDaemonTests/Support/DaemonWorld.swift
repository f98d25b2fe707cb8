import ApplicationFolders
import BusContract
import DBus
import DBusMainLoop
import DaemonSettings
import Foundation
import Host
import LaunchRules
import ProcessSupervision
import Records
import ScriptedProcesses
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

/// The components of a daemon, with a socket in place of the bus, and processes whose events the test decides.
@MainActor final class DaemonWorld {
  let sockets: SocketPair
  let backend = ScriptedBackend()
  let callers: CallerComponents
  let registry: RegistryComponents
  let requests: RequestComponents
  let handlers: HandlerComponents
  let opening: OpenComponents
  /// What the openers were answered.
  let answers = EventStream<String>()
  /// The URLs that the application was given.
  let heard = EventStream<String>()
  /// The keys of the answers to check-ins.
  let checkInAnswers = EventStream<[String]>()
  private let orders = EventStream<InstanceID>()
  let folder: String
  /// Calls that are not to be answered before the world ends.
  var kept: [PendingCall] = []
  /// The call that all opens are made by.
  private let call: PendingCall

  static let photos = BundleIdentifier("com.example.photos")!

  /// - Parameter keys: more keys of the property list of photos.
  init(keys: String = "", _ change: (inout Settings) -> Void = { _ in }) async throws {
    await Self.enter()
    folder = StateFolder.root + "/daemon-" + UUID().uuidString
    for name in ["/Applications", "/state", "/cache"] {
      try FileManager.default.createDirectory(
        atPath: folder + name, withIntermediateDirectories: true)
    }
    try Self.propertyList("photos", keys).write(
      toFile: folder + "/Applications/photos.plist", atomically: true, encoding: .utf8)
    sockets = try await SocketPair()
    var settings = Settings()
    settings.launch.launcher = .spawn
    change(&settings)
    let environment = ["PATH": "/usr/bin:/bin", "HOME": folder]
    let configuration = DaemonConfiguration(
      settings: settings, environment: environment,
      folders: [ApplicationFolder(folder + "/Applications")], stateFolder: folder + "/state",
      cacheFolder: folder + "/cache", directSocket: nil, lookInterval: 1_000_000)
    let journal = Journal(program: "daemon-tests", environment: [:], descriptor: -1)
    let handlerEnvironment = HandlerEnvironment(inheriting: environment)
    callers = CallerComponents(sockets.daemon, configuration, journal)
    registry = RegistryComponents(configuration, handlerEnvironment, callers.services, journal)
    requests = RequestComponents(sockets.daemon, configuration, journal)
    handlers = HandlerComponents(
      callers, registry, requests, settings.launch, settings.delivery, handlerEnvironment,
      units: backend, children: backend, journal)
    opening = OpenComponents(
      callers, registry, requests, handlers, configuration, handlerEnvironment, journal)
    EventWiring(
      callers: callers, registry: registry, requests: requests, handlers: handlers,
      opening: opening, trimmer: MemoryTrimmer(journal), journal: journal
    ) {}.connect()
    await registry.store.start()
    call = try await sockets.call(MessageBus.nameOwner(Contract.busName))
    backend.onStart = { [orders] in orders.add($0.instance) }
    sockets.other.onCall = { [heard] call in
      guard call.member == "OpenURLs" else { return call.succeed() }
      heard.add(Self.url(in: call.arguments()) ?? "?")
      call.succeed([.booleans([true])])
    }
  }

  isolated deinit {
    registry.store.stop()
    requests.close()
    try? FileManager.default.removeItem(atPath: folder)
    Self.leave()
  }

  /// Further worlds that may exist now. Each has some of the inotify instances of the user, often 128.
  private static var places = 8
  private static var waiting: [CheckedContinuation<Void, Never>] = []

  private static func enter() async {
    guard places == 0 else {
      places -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private static func leave() {
    if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
  }

  private static func url(in arguments: [Value]) -> String? {
    guard case .array(_, let contexts) = arguments.first,
      case .structure(let context) = contexts.first
    else { return nil }
    return context.first?.asString
  }

  var coordinator: OpenCoordinator { opening.coordinator }

  // MARK: Opens

  /// Opens a URL with the application for photos.
  /// - Returns: the open, which `answers` tells the fate of.
  @discardableResult func open(
    _ url: String, name: String? = nil, of share: LoadOwner = .unit("tests"),
    _ change: (inout OpenOptions) -> Void = { _ in }
  ) throws -> RequestID {
    let application = try #require(registry.store.registry.application(Self.photos))
    var options = OpenOptions()
    change(&options)
    let number = requests.opens.nextRequest()
    try coordinator.begin(
      PendingOpen(
        payload: .url(url), receiver: .application(application), options: options, source: nil,
        reply: reply(url), share: share,
        entry: RequestEntry(
          number: number.number, time: RequestClock.now, caller: "tests",
          name: name.map { RequestName($0) },
          subject: url, fingerprint: Self.fingerprint(url).value, handler: Self.photos.text),
        isRepeated: false))
    return number
  }

  static func fingerprint(_ url: String) -> RequestFingerprint {
    RequestFingerprint(.url, url, designated: nil, newInstance: false)
  }

  func reply(_ name: String) -> PendingReply {
    PendingReply(partOf: call) { [answers] in answers.add("\(name) \(Self.text($0))") }
  }

  private static func text(_ result: Result<Options, BusError>) -> String {
    switch result {
    case .success(let options):
      guard let receipt = Receipt(options) else { return "without a receipt" }
      let outcome = "\(receipt.outcome.delivery.rawValue) \(receipt.outcome.launch.rawValue)"
      return receipt.isRepeated ? "repeated \(outcome)" : outcome
    case .failure(let error): return "\(Contract.shortName(of: error)): \(error.text)"
    }
  }

  // MARK: Processes

  /// Waits until a process is to be started, and says for which instance.
  func ordered() async throws -> InstanceID { try await orders.next() }

  /// The process of the instance runs and checks in.
  func checkIn(
    _ id: InstanceID, pid: Int32 = 42, _ change: (inout CheckInOptions) -> Void = { _ in }
  ) async throws {
    backend.report(.running(ScriptedProcess(pid)), of: id)
    var options = CheckInOptions()
    change(&options)
    let call = try await sockets.call(MessageBus.nameOwner(Contract.busName)) {
      [checkInAnswers] in
      checkInAnswers.add((try? $0.get())?.first?.asOptions?.keys.sorted() ?? [])
    }
    opening.handlerEvents.handle(
      CheckInService.CheckIn(
        claim: .init(tokenOf: id, showedToken: true), options: options,
        facts: Self.facts(pid), call: call))
  }

  func finish(_ id: InstanceID) {
    coordinator.handle(.finishedLaunching(id, LaunchAnswers()), of: id)
  }

  /// A process starts for the open, checks in and finishes.
  func launch() async throws -> InstanceID {
    let id = try await ordered()
    try await checkIn(id)
    finish(id)
    return id
  }

  static func facts(_ pid: Int32, hops: BridgeHops? = nil) -> CallerTable.Facts {
    CallerTable.Facts(
      executable: ProcessDetails(of: getpid())?.executable,
      lineage: [(pid, 1)], session: .init(number: pid, leaderStartTime: 1), childOfDaemon: nil,
      unit: nil, flatpak: nil, hops: hops, finding: .program)
  }

  static func propertyList(_ name: String, _ keys: String = "") -> String {
    """
    <plist version="1.0"><dict>
    <key>CFBundleIdentifier</key><string>com.example.\(name)</string>
    <key>ProgramArguments</key><array><string>/usr/bin/true</string></array>
    <key>CFBundleURLTypes</key><array><dict>
    <key>CFBundleURLSchemes</key><array><string>\(name)</string></array></dict></array>\(keys)
    </dict></plist>
    """
  }
}
