internal import BusContract
internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Fetches association files at the times that the rules give. The daemon itself does not use the network: a separate
/// program asks one site, and its exit status is the result.
final class AssociationFetcher {
  /// The last fetch of each site, by domain.
  nonisolated struct State: Codable, Sendable {
    struct Entry: Codable, Sendable {
      var triedAt: Int64
      var result: Int32
      var failures: Int
    }

    var entries: [String: Entry] = [:]
  }

  struct Configuration {
    /// Whether fetching is permitted.
    var isAllowed: Bool
    var launcher: LauncherSetting
    /// A server that replaces every site, for tests.
    var server: (address: String, certificates: String)?
  }

  private let store: AssociationStore
  private let services: ServiceManager
  private let environment: HandlerEnvironment
  private let configuration: Configuration
  private let stateFile: StateFile<State>
  private let journal: Journal
  private var schedule: AssociationSchedule
  private var isStarted = false
  private var alarm: Deadline?
  /// The callers that wait for domains to be fetched.
  private var waiting: [(domains: Set<WebHost>, done: () -> Void)] = []
  private var processes: [WebHost: (process: ChildProcess, limit: Deadline)] = [:]

  /// A program that runs longer is killed.
  private static let longest: Duration = .seconds(60)
  /// Seconds until a jump of the clock is noticed at the latest.
  private static let longestSleep: Int64 = 3600

  init(
    _ store: AssociationStore, _ services: ServiceManager, _ environment: HandlerEnvironment,
    _ stateFile: StateFile<State>, _ configuration: Configuration, _ journal: Journal
  ) {
    self.store = store
    self.services = services
    self.environment = environment
    self.configuration = configuration
    self.stateFile = stateFile
    self.journal = journal
    let known = configuration.isAllowed ? stateFile.read(journal)?.schedule ?? [:] : [:]
    // The files are a cache, which may have been removed.
    schedule = AssociationSchedule(
      entries: known.filter { $0.value.result != .fetched || store.path(of: $0.key) != nil })
  }

  /// Begins to fetch. Call this when the daemon answers calls.
  func start(_ domains: Set<WebHost>) {
    isStarted = configuration.isAllowed
    declare(domains)
  }

  /// Sets the domains that applications declare.
  func declare(_ domains: @autoclosure () -> Set<WebHost>) {
    if isStarted { handle(.declared(domains())) }
  }

  /// - Parameter done: called when all fetches have ended.
  func refresh(_ domains: [WebHost], done: @escaping () -> Void = {}) {
    guard isStarted else { return done() }
    waiting.append((Set(domains), done))
    handle(.refresh(domains))
  }

  /// Kills the programs. The next daemon fetches again.
  func stop() {
    for (process, _) in processes.values { process.signalGroup(SIGKILL) }
  }

  /// Nil when the domain was not fetched, or is no longer declared.
  func entry(of domain: WebHost) -> AssociationSchedule.Entry? { schedule.entries[domain] }

  var isOn: Bool { isStarted }

  private func handle(_ event: AssociationSchedule.Event) {
    let before = schedule.entries
    let due = schedule.handle(event, at: now)
    if schedule.entries != before { remember() }
    for domain in due { fetch(domain) }
    tellWhoWaits()
    guard let next = schedule.nextTime else {
      alarm = nil
      return
    }
    let pause = min(max(1, next - now), Self.longestSleep)
    alarm = Deadline(after: .seconds(pause)) { [weak self] in self?.handle(.timePassed) }
  }

  private var now: Int64 { Time.wallClockNanoseconds() / 1_000_000_000 }

  private func tellWhoWaits() {
    let done = waiting.filter { !$0.domains.contains(where: schedule.isUnderWay) }
    waiting.removeAll { !$0.domains.contains(where: schedule.isUnderWay) }
    for one in done { one.done() }
  }

  private func remember() {
    do throws(FileError) {
      try stateFile.write(State(schedule.entries))
    } catch {
      journal.info(
        "the times of fetches of association files cannot be stored", ["reason": "\(error)"])
    }
  }

  private func ended(_ domain: WebHost, _ result: FetchResult) {
    processes[domain] = nil
    // Otherwise the old file would be used again as soon as the site is unreachable.
    if result == .denied { store.removeFetched(domain) } else { store.forget(domain) }
    let details: KeyValuePairs = ["domain": domain.text, "result": result.sentence]
    if result == .fetched {
      journal.info("an association file was fetched", details)
    } else {
      journal.notice("an association file was not fetched", details)
    }
    handle(.fetched(domain, result))
  }

  // MARK: Processes

  private func fetch(_ domain: WebHost) {
    guard let program = ProgramLookup.find(AssociationFile.fetcher, path: environment.path) else {
      journal.warning(
        "association files cannot be fetched: the program is neither in PATH nor beside the daemon",
        ["program": AssociationFile.fetcher])
      return endedLater(domain, .failed)
    }
    var arguments = [domain.text, store.fetchedPath(domain)]
    if let server = configuration.server {
      arguments = ["--server", server.address, "--certificates", server.certificates] + arguments
    }
    let launch = Launch(
      executable: program, arguments: arguments, environment: environment.ofTools,
      workingDirectory: "/", standardOutput: .nothing)
    // The unit of the daemon may have no network; units that systemd starts have it.
    switch LauncherChoice.choose(
      configuration.launcher, hasServiceManager: services.isPresent, hasUnitName: true)
    {
    case .process: startProcess(domain, launch)
    case .unit: startUnit(domain, launch)
    case .refused(let why):
      journal.warning("association files cannot be fetched", ["reason": why])
      endedLater(domain, .failed)
    }
  }

  /// Reports the end asynchronously, after the rules have returned from the decision to fetch.
  private func endedLater(_ domain: WebHost, _ result: FetchResult) {
    Task { ended(domain, result) }
  }

  private func startProcess(_ domain: WebHost, _ launch: Launch) {
    do throws(SpawnError) {
      let process = try ChildProcess(launch) { [weak self] end in
        self?.ended(domain, FetchResult(end))
      }
      processes[domain] = (process, limit(process))
    } catch {
      journal.warning("association files cannot be fetched", ["reason": error.description])
      endedLater(domain, .failed)
    }
  }

  private func limit(_ process: ChildProcess) -> Deadline {
    Deadline(after: Self.longest) { process.signalGroup(SIGKILL) }
  }

  private func startUnit(_ domain: WebHost, _ launch: Launch) {
    let unit = "\(AssociationFile.fetcher)-\(randomToken().prefix(16)).service"
    let service = ServiceManagerContract.Service(
      description: "The association file of \(domain)", executable: launch.executable,
      arguments: launch.arguments, environment: launch.environment,
      withoutVariables: HandlerEnvironment.activation, workingDirectory: "/")
    services.start(unit, service) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .done(let pid):
        if let startTime = ProcessDetails(of: pid)?.startTime,
          let process = try? ChildProcess(
            adopting: pid, startTime: startTime,
            onExit: { [weak self] _ in self?.unitEnded(unit, domain) })
        {
          processes[domain] = (process, limit(process))
        } else {
          unitEnded(unit, domain)
        }
      case .failed(let failure):
        journal.warning("association files cannot be fetched", ["reason": failure.sentence])
        ended(domain, .failed)
      case .refused(let why):
        journal.warning("association files cannot be fetched", ["reason": why])
        ended(domain, .failed)
      }
    }
  }

  private func unitEnded(_ unit: String, _ domain: WebHost) {
    services.end(of: unit) { [weak self] end in
      self?.services.release(unit)
      self?.ended(domain, FetchResult(ProcessEnd(end)))
    }
  }
}

nonisolated extension FetchResult {
  fileprivate init(_ end: ProcessEnd) {
    self =
      if case .exited(let code) = end { FetchResult(rawValue: code) ?? .failed } else { .failed }
  }
}

nonisolated extension AssociationFetcher.State {
  fileprivate init(_ entries: [WebHost: AssociationSchedule.Entry]) {
    for (domain, entry) in entries {
      self.entries[domain.text] = Entry(
        triedAt: entry.triedAt, result: entry.result.rawValue, failures: entry.failures)
    }
  }

  fileprivate var schedule: [WebHost: AssociationSchedule.Entry] {
    var schedule: [WebHost: AssociationSchedule.Entry] = [:]
    for (name, entry) in entries {
      guard let domain = WebHost(name), let result = FetchResult(rawValue: entry.result) else {
        continue
      }
      schedule[domain] = AssociationSchedule.Entry(
        triedAt: entry.triedAt, result: result, failures: max(0, entry.failures))
    }
    return schedule
  }
}
