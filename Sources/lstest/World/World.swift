internal import ApplicationFolders
internal import BusContract
internal import Commands
internal import DBus
internal import DBusMainLoop
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchRules
internal import LaunchServicesTesting
internal import Reports
internal import StubApplications

/// A bus, a daemon and folders of a scenario, with its applications and sites.
final class World {
  let testbed: Testbed
  private(set) var applications: [WorldApplication] = []
  /// The identifiers of the system applications, which have stubs.
  private var systemApplications: [String] = []
  /// The questions to the user since the last call of `takeQuestions`.
  private var questions: [String] = []
  /// The answer to the next questions.
  var allows = true
  private var seenEvents = 0
  /// All daemons of this world, the running one last.
  private var daemons: [ObservedProcess] = []

  /// The object that answers questions to the user.
  static let agent: ObjectPath = "/org/launchservices/Test"

  private init(_ testbed: Testbed) { self.testbed = testbed }

  var client: TestClient { testbed.client }
  /// The identifiers of the applications with a stub.
  var stubs: Set<String> {
    Set(applications.filter(\.hasStub).map(\.identifier) + systemApplications)
  }

  /// Options of the daemon: the machine's service manager and the network do not matter.
  private static let options = ["--launcher", "spawn"]
  /// The settings that options of the daemon override in every world.
  static let fixedSettings: [String: PropertyTree] = [
    "Launcher": .string("spawn"), "FetchAssociations": .boolean(false),
  ]

  /// Makes the world of a scenario, runs `body` in it, and ends all its processes.
  /// - Parameter keep: called with the folder of the world, which is then not removed; nil to remove it.
  /// - Throws: `ScenarioProblems`; an error of the testbed.
  static func run(
    _ scenario: Scenario, hasBus: Bool, keep: ((String) -> Void)?,
    shown: @escaping (String) -> String,
    _ body: (World) async throws -> Void
  ) async throws {
    try await Testbed.run(hasBus: hasBus, guardedBy: WorldGuard.command(), keep: keep) { testbed in
      let world = World(testbed)
      // A step may wait for minutes; without the daemon it ends at once.
      Interruption.shared.onSignal = { _ in testbed.daemon?.signal(SIGKILL) }
      defer { Interruption.shared.onSignal = { _ in } }
      try world.write(scenario.settings)
      try world.writeSystemApplications()
      try await testbed.startDaemon(options)
      try await world.began()
      try await world.install(scenario, shown)
      try world.checkOpeners(of: scenario)
      try await body(world)
    }
  }

  private func write(_ settings: [String: PropertyTree]) throws {
    guard !settings.isEmpty else { return }
    let folder = testbed.folder + "/config/launch-services"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try PropertyTree.dictionary(settings).xml().write(to: URL(filePath: folder + "/config.plist"))
  }

  /// The system applications belong to the system and not to the machine.
  private func writeSystemApplications() throws {
    let programs = try Programs.find("launchservicesd").split(separator: "/").dropLast()
    let name = ApplicationFolder.systemFolder
    guard
      let lists = InstalledFolder.shared(name, with: "/" + programs.joined(separator: "/"))
    else {
      throw CommandFailure(
        .failed, "the folder share/\(name), which is installed with launchservicesd, is missing")
    }
    let stub = StubPropertyList(program: try Programs.find(StubPropertyList.program), log: log)
    systemApplications = try SystemStubs(of: lists, stub).write(
      to: "\(testbed.folder)/share/\(name)")
  }

  private func install(_ scenario: Scenario, _ shown: @escaping (String) -> String) async throws {
    let writer = WorldApplications(
      folder: testbed.folder + "/elsewhere", stub: try Programs.find(StubPropertyList.program),
      log: log, shown: shown)
    var problems: [ScenarioProblem] = []
    for application in try writer.write(scenario.applications, &problems) {
      do throws(Refusal) {
        try await client.register(application.propertyList, define: application.definitions)
        applications.append(application)
      } catch {
        problems.append(application.value.problem("", error.text))
      }
    }
    for (number, site) in scenario.sites.enumerated() {
      let wrong = SiteContents.problems(of: site, shown)
      problems += wrong
      guard wrong.isEmpty else { continue }
      let path = try file(of: site, number: number)
      do throws(Refusal) {
        _ = try await client.call(Contract.setAssociationFile(site.domain, path))
      } catch {
        problems.append(site.value.problem("", error.text))
      }
    }
    guard problems.isEmpty else { throw ScenarioProblems(problems) }
  }

  /// Each application as which a step acts must be in the world: the daemon knows no allowlist of another.
  private func checkOpeners(of scenario: Scenario) throws(ScenarioProblems) {
    let known = applications.map(\.identifier) + systemApplications
    let names = known.joined(separator: ", ")
    let keys = Set(known.compactMap { BundleIdentifier($0)?.key })
    let problems = scenario.steps.compactMap { step -> ScenarioProblem? in
      guard let opener = step.opener else { return nil }
      if let key = BundleIdentifier(opener.name)?.key, keys.contains(key) { return nil }
      let nearest = NearestName.of(opener.name, among: known)
      return ScenarioProblem(
        place: opener.place, key: opener.key,
        sentence: "the scenario has no application \(opener.name); "
          + (nearest.map { "did you mean \($0)?" } ?? "add it, or name one of these: \(names)"))
    }
    guard problems.isEmpty else { throw ScenarioProblems(problems) }
  }

  private func file(of site: ScenarioSite, number: Int) throws -> String {
    switch site.file {
    case .file(let path): return path
    case .inline(let tree):
      let folder = testbed.folder + "/elsewhere"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let path = "\(folder)/site-\(number).json"
      try SiteContents.json(tree).write(to: URL(filePath: path))
      return path
    }
  }

  // MARK: Events

  private var log: String { testbed.folder + "/stub-events" }

  /// What the stubs got since the last call.
  func takeEvents() -> [StubEvent] {
    let all = StubEvent.read(FileManager.default.contents(atPath: log) ?? Data())
    defer { seenEvents = all.count }
    return Array(all.dropFirst(seenEvents))
  }

  // MARK: Questions

  /// Prepares a daemon that was just started.
  private func began() async throws {
    daemons.append(testbed.daemon)
    client.session.onCall = { [weak self] call in
      guard call.member == "Confirm" else { return call.succeed() }
      let options = call.arguments().first?.asOptions ?? [:]
      self?.questions.append(options[Key.question]?.asString ?? "")
      call.succeed([
        .options([Key.allowed: .boolean(self?.allows ?? false), Key.remember: .boolean(false)])
      ])
    }
    _ = try await client.call(Contract.registerAgent(Self.agent))
  }

  func takeQuestions() -> [String] {
    defer { questions = [] }
    return questions
  }

  // MARK: Processes

  /// How many lines each daemon and its applications have printed.
  var printedLines: [Int] { daemons.map(\.lines.count) }

  /// The lines beyond those counts. An application prints to the daemon that has started it.
  func lines(beyond counts: [Int]) -> [String] {
    daemons.enumerated().flatMap { index, daemon in
      daemon.lines.dropFirst(index < counts.count ? counts[index] : 0)
    }
  }

  /// Ends the daemon and starts another one.
  func restartDaemon(kills: Bool) async throws {
    if kills { try await testbed.killDaemon() } else { try await testbed.stopDaemon() }
    try await testbed.startDaemon(Self.options)
    try await began()
  }

  /// Kills the processes of an application, and waits until the daemon has noticed.
  /// - Returns: false when none runs.
  func kill(_ application: String) async throws -> Bool {
    let pids = try await client.running()
      .filter {
        $0[Key.bundleIdentifier]?.asString.map { BundleIdentifier.areEqual($0, application) }
          == true
      }
      .compactMap { $0[Key.pid]?.asUInt32 }.filter { $0 != 0 }
    for pid in pids {
      let end = client.end(of: Int32(pid))
      Glibc.kill(Int32(pid), SIGKILL)
      do {
        _ = try await end.how()
      } catch let refusal as Refusal where refusal.shortName == "NotRunning" {
        // The daemon noticed the end before it read the call.
      }
    }
    return !pids.isEmpty
  }
}
