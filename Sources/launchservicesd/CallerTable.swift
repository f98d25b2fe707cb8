internal import BusContract
internal import DBus
internal import Glibc
internal import Host
internal import LaunchRules

/// Who the connections on the bus are, as the bus and the kernel say. A caller's word about itself
/// counts for nothing.
final class CallerTable {
  /// What does not change while a connection lives.
  struct Facts {
    var pid: Int32
    var executable: ProcessDetails.Executable?
    /// The process and those it descends from, nearest first, with their start times, so that a
    /// process number that was used again is not believed.
    var lineage: [(pid: Int32, startTime: UInt64)]
    var session: StartedSessions.Sighting
    /// The unit of the user's service manager that it belongs to.
    var unit: String?
    /// What the sandbox that it runs in was made for.
    var flatpak: BundleIdentifier?
    /// What the bridge has put into the environment of the programs above it.
    var hops: BridgeHops?
    /// It may act for a page in a browser.
    var isFromBrowser: Bool
  }

  private enum Entry {
    case asking(waiting: [(Facts?) -> Void])
    /// Nil: of another user, or gone. Believed nothing.
    case known(Facts?)
  }

  private let session: BusSession
  private let webOrigin: WebOrigin
  private let services: ServiceManager
  private let direct: DirectConnections
  private var entries: [String: Entry] = [:]
  /// When it was heard that connections came, in microseconds since the machine started.
  private var arrivals: [String: UInt64] = [:]
  /// All others came before this.
  private let begun = Time.microsecondsSinceBoot()
  /// Units of which it is not known yet which instances they are, with the connections that wait.
  private var held: [String: [String: Facts]] = [:]

  init(
    _ session: BusSession, _ direct: DirectConnections, _ webOrigin: WebOrigin,
    _ services: ServiceManager
  ) {
    self.session = session
    self.direct = direct
    self.webOrigin = webOrigin
    self.services = services
  }

  /// Calls `body` with the facts: at once when they are known, else later. Calls of one connection
  /// keep their order.
  func withFacts(of sender: String, _ body: @escaping (Facts?) -> Void) {
    switch entries[sender] {
    case .known(let facts): body(facts)
    case .asking(let waiting): entries[sender] = .asking(waiting: waiting + [body])
    case nil:
      entries[sender] = .asking(waiting: [body])
      ask(sender)
    }
  }

  /// What is known of a connection; nil when it has gone.
  func facts(of sender: String) -> Facts? {
    if case .known(let facts) = entries[sender] { facts } else { nil }
  }

  /// False when the connection has gone since its facts were found out.
  func isConnected(_ sender: String) -> Bool { entries[sender] != nil }

  /// Nobody waits any longer to be known.
  func giveUp() {
    for case .asking(let waiting) in entries.values {
      for body in waiting { body(nil) }
    }
    entries = [:]
    held = [:]
  }

  // MARK: Units

  func unit(of process: ProcessDetails) -> String? {
    process.controlGroup.flatMap {
      UnitOfControlGroup.unit(of: $0, below: services.controlGroup, user: getuid())
    }
  }

  /// The calls of processes in this unit wait from now on.
  func hold(_ unit: String) { held[unit] = [:] }

  /// It is known what the unit is.
  func letGo(_ unit: String) {
    for (sender, facts) in held.removeValue(forKey: unit) ?? [:] {
      guard case .asking(let waiting) = entries[sender] else { continue }
      entries[sender] = .known(facts)
      for body in waiting { body(facts) }
    }
  }

  /// It left the bus while it waited; what it asked before still counts.
  private func letGo(leaving sender: String) -> Bool {
    for unit in held.keys {
      guard let facts = held[unit]?.removeValue(forKey: sender) else { continue }
      guard case .asking(let waiting) = entries.removeValue(forKey: sender) else { return true }
      for body in waiting { body(facts) }
      return true
    }
    return false
  }

  func arrived(_ sender: String) { arrivals[sender] = Time.microsecondsSinceBoot() }

  /// The connection is gone; its name is never used again.
  func forget(_ sender: String) {
    arrivals[sender] = nil
    if letGo(leaving: sender) { return }
    if case .known = entries[sender] { entries[sender] = nil }
  }

  private func ask(_ sender: String) {
    if let credentials = direct.credentials(of: sender) {
      return answered(sender, .success([.options(credentials)]))
    }
    let question = Message.call(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: "GetConnectionCredentials", [.string(sender)])
    session.call(question, deadline: .seconds(10)) { [weak self] answer in
      self?.answered(sender, answer)
    }
  }

  private func answered(_ sender: String, _ answer: Result<[Value], BusError>) {
    guard case .asking(let waiting) = entries[sender] else { return }
    let facts: Facts?
    switch answer {
    case .success(let values):
      facts = values.first?.asOptions.flatMap { self.facts($0, of: sender) }
      if let facts, let unit = facts.unit, held[unit] != nil {
        held[unit]?[sender] = facts
        return
      }
      entries[sender] = .known(facts)
    case .failure:
      // It left before the answer, so nobody would tell us to forget it.
      facts = nil
      entries[sender] = nil
    }
    for body in waiting { body(facts) }
  }

  private static func chromeDesktop(_ environment: [String: String]) -> String? {
    environment["MM_NOTTTY"] == nil ? nil : environment["CHROME_DESKTOP"]
  }

  private func facts(_ credentials: Options, of sender: String) -> Facts? {
    guard let user = credentials["UnixUserID"]?.asUInt32, user == getuid(),
      let number = credentials["ProcessID"]?.asUInt32, let pid = Int32(exactly: number)
    else { return nil }
    // One that is younger than the connection has got the number of the process that connected, which
    // has left the connection to another.
    guard let process = ProcessDetails(of: pid),
      process.startedAt <= arrivals[sender] ?? begun
    else { return nil }
    let flatpak = process.flatpakFile.flatMap(FlatpakApplication.name)
    let lineage = [process] + ProcessDetails.ancestors(of: pid)
    let environment = process.environmentAtStart
    // All was read while the process that connected was there, and so of that one.
    if let descriptor = credentials["ProcessFD"]?.asDescriptor,
      processNumber(of: descriptor.number) != pid
    {
      return nil
    }
    let leader =
      lineage.first { $0.pid == process.session } ?? ProcessDetails(of: process.session)
    return Facts(
      pid: pid, executable: process.executable, lineage: lineage.map { ($0.pid, $0.startTime) },
      session: .init(number: process.session, leaderStartTime: leader?.startTime),
      unit: unit(of: process),
      flatpak: flatpak.flatMap(BundleIdentifier.init),
      hops: environment[BridgeHops.variable].flatMap(BridgeHops.init),
      isFromBrowser: webOrigin.showsBrowser(
        .init(
          executables: lineage.compactMap { $0.executable?.name },
          controlGroup: process.controlGroup,
          chromeDesktop: Self.chromeDesktop(environment))))
  }
}

nonisolated extension ProcessDetails.Executable {
  /// The last part of its path.
  fileprivate var name: String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }
}
