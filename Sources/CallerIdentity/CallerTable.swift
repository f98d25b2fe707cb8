package import DBus
package import DBusMainLoop
internal import Glibc
package import Host
package import LaunchRules
package import ProcessSupervision

/// Who the connections on the bus are, as the bus and the kernel say. A caller's word about itself
/// counts for nothing.
package final class CallerTable {
  private enum Entry {
    case asking(waiting: [(Answer) -> Void], hasLeft: Bool = false)
    case known(Answer)
  }

  private let session: BusSession
  private let webOrigin: WebOrigin
  private let services: ServiceManager
  /// What the kernel says of the peer of a direct connection; nil for connections of the bus.
  private let peerCredentials: (String) -> Options?
  /// Nil where this process may look for itself.
  private let lookup: ProcessLookup?
  private let journal: Journal
  private let survey = ProcessSurvey()
  private var entries: [String: Entry] = [:]
  /// Connections that have closed, and are not forgotten yet.
  private var closed: Set<String> = []
  private var arrivals = ConnectionArrivals()
  /// Units of which it is not known yet which instances they are, with the connections that wait.
  private var held: [String: [String: Facts]] = [:]

  /// How long the bus may take to say who a caller is.
  private static let patience = Duration.seconds(10)

  package init(
    _ session: BusSession, _ webOrigin: WebOrigin, _ services: ServiceManager,
    _ lookup: ProcessLookup?, _ journal: Journal,
    peerCredentials: @escaping (String) -> Options?
  ) {
    self.session = session
    self.peerCredentials = peerCredentials
    self.webOrigin = webOrigin
    self.services = services
    self.lookup = lookup
    self.journal = journal
    lookup?.unitOfProcess = services.unit
  }

  /// Calls `body` with the facts: at once when they are known, else later. Calls of one connection
  /// keep their order.
  package func withFacts(of sender: String, _ body: @escaping (Answer) -> Void) {
    switch entries[sender] {
    case .known(let facts): body(facts)
    case .asking(let waiting, let hasLeft):
      entries[sender] = .asking(waiting: waiting + [body], hasLeft: hasLeft)
    case nil:
      entries[sender] = .asking(waiting: [body])
      ask(sender)
    }
  }

  /// What is known of a connection; nil when it has gone.
  package func facts(of sender: String) -> Facts? {
    if case .known(.success(let facts)) = entries[sender] { facts } else { nil }
  }

  /// False when the connection has closed since its facts were found out.
  package func isConnected(_ sender: String) -> Bool {
    entries[sender] != nil && !closed.contains(sender)
  }

  /// Nobody waits any longer to be known.
  package func giveUp() {
    for case .asking(let waiting, _) in entries.values {
      for body in waiting { body(.failure(.notOurs)) }
    }
    entries = [:]
    held = [:]
  }

  // MARK: Units

  private func unit(of process: ProcessDetails) -> String? { services.unit(of: process) }

  /// The calls of processes in this unit wait from now on.
  package func hold(_ unit: String) { held[unit] = [:] }

  /// It is known what the unit is.
  package func letGo(_ unit: String) {
    for (sender, facts) in held.removeValue(forKey: unit) ?? [:] {
      guard case .asking(let waiting, _) = entries[sender] else { continue }
      entries[sender] = .known(.success(facts))
      for body in waiting { body(.success(facts)) }
    }
  }

  /// The connection has closed while it waited; what it asked before still counts.
  private func letGo(leaving sender: String) {
    for unit in held.keys {
      guard let facts = held[unit]?.removeValue(forKey: sender) else { continue }
      guard case .asking(let waiting, _) = entries[sender] else { return }
      entries[sender] = .known(.success(facts))
      for body in waiting { body(.success(facts)) }
    }
  }

  package func arrived(_ sender: String) { arrivals.add(sender) }

  /// The connection has closed. Its facts are kept until `forget`.
  package func left(_ sender: String) {
    arrivals.remove(sender)
    if entries[sender] != nil { closed.insert(sender) }
    letGo(leaving: sender)
  }

  /// Nobody asks about the connection any more; its name is never used again.
  package func forget(_ sender: String) {
    closed.remove(sender)
    switch entries[sender] {
    case .known: entries[sender] = nil
    case .asking(let waiting, _): entries[sender] = .asking(waiting: waiting, hasLeft: true)
    case nil: break
    }
  }

  private func ask(_ sender: String) {
    if let credentials = peerCredentials(sender) {
      return answered(sender, .success([.options(credentials)]))
    }
    let question = Message.call(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: "GetConnectionCredentials", [.string(sender)])
    session.call(question, deadline: Self.patience) { [weak self] answer in
      self?.answered(sender, answer)
    }
  }

  private func answered(_ sender: String, _ answer: Result<[Value], BusError>) {
    switch answer {
    case .success(let values):
      find(values.first?.asOptions ?? [:], of: sender) { [weak self] in self?.found($0, of: sender)
      }
    case .failure(let error):
      // It may have left before the answer, so nobody would tell us to forget it.
      guard case .asking(let waiting, _) = entries.removeValue(forKey: sender) else { return }
      let failure = error.name == MessageBus.nameHasNoOwner ? .notOurs : unsaid(error)
      for body in waiting { body(.failure(failure)) }
    }
  }

  private func unsaid(_ error: BusError) -> Unknown {
    journal.warning("the message bus did not say who a caller is", ["reason": error.text])
    return Self.unread(
      "the message bus did not say who it is (\(error.text)); try again later")
  }

  private func found(_ answer: Answer, of sender: String) {
    guard case .asking(let waiting, let hasLeft) = entries[sender] else { return }
    if !hasLeft, case .success(let facts) = answer, let unit = facts.unit, held[unit] != nil {
      held[unit]?[sender] = facts
      return
    }
    entries[sender] = .known(answer)
    for body in waiting { body(answer) }
    // What it asked before it left counts; and what could not be read may be the next time.
    if case .failure(.unread) = answer { entries[sender] = nil }
    if hasLeft { entries[sender] = nil }
  }

  /// Finds out who it is. The order matters: what is read last must still be of the process that connected.
  /// - Parameter isRepeated: it was waited for what the service manager says.
  private func find(
    _ credentials: Options, of sender: String, isRepeated: Bool = false,
    _ found: @escaping (Answer) -> Void
  ) {
    let shortages = DescriptorShortage.count
    let completion = { (answer: Answer) in
      found(DescriptorShortage.count == shortages ? answer : .failure(.unread(Self.shortage)))
    }
    // One that is younger than the connection has got the number of the process that connected, which
    // has left the connection to another.
    guard let user = credentials["UnixUserID"]?.asUInt32, user == getuid(),
      let number = credentials["ProcessID"]?.asUInt32, let pid = Int32(exactly: number),
      let process = ProcessDetails(of: pid), process.startedAt <= arrivals.time(of: sender)
    else { return completion(.failure(.notOurs)) }
    // The kernel itself tells of direct connections, when they are made.
    if peerCredentials(sender) == nil, arrivals.mayBeOfAnother(sender, process) {
      return completion(.failure(Self.reused))
    }
    if !services.saysUnits, services.unit(of: process) == nil {
      let mayBeApplication = isBelowApplicationUnit(process)
      // The process that looks things up is known by its unit, too.
      if !isRepeated, mayBeApplication || lookup != nil {
        return services.withControlGroup { [weak self] in
          self?.find(credentials, of: sender, isRepeated: true, found)
        }
      }
      if mayBeApplication { return completion(.failure(Self.unitUnsaid)) }
    }
    let lineage: [ProcessDetails]
    do throws(Lineage.Problem) {
      lineage = try process.lineage()
    } catch {
      return completion(.failure(Self.failure(error)))
    }
    let finish: (ProcessEvidence) -> Void = { [self] evidence in
      // All was read while the process that connected was there, and so of that one.
      if let descriptor = credentials["ProcessFD"]?.asDescriptor,
        processNumber(of: descriptor.number) != pid
      {
        return completion(.failure(.notOurs))
      }
      completion(.success(facts(lineage, evidence)))
    }
    guard let lookup else {
      return finish(
        ProcessEvidence(reading: lineage, variables: CallerVariables.names, survey))
    }
    lookup.ask(about: process) { answer in
      switch answer {
      case .success(.evidence(let evidence)): finish(evidence)
      case .success(.noProcess): completion(.failure(.notOurs))
      case .success(.unreadable(let why)): completion(.failure(Self.unread(why)))
      case .failure(let failure): completion(.failure(.unread(failure.reason)))
      }
    }
  }

  /// Some control group above it is named as a unit of an application, whoever has made that group.
  private func isBelowApplicationUnit(_ process: ProcessDetails) -> Bool {
    let groups = process.controlGroup?.split(separator: "/") ?? []
    return groups.contains { ApplicationUnit.identifier(in: String($0)) != nil }
  }

  private static let unitUnsaid = unread(
    "the service manager did not say in which control group its units are; try again later")

  private static let reused = unread(
    "the number of its process may have been used again since the process connected to the bus; connect again from a"
      + " process that has its connection itself")

  private static func failure(_ problem: Lineage.Problem) -> Unknown {
    problem == .gone ? .notOurs : unread("\(problem)")
  }

  private static func unread(_ why: String) -> Unknown {
    .unread("the caller cannot be identified: \(why)")
  }

  private static let shortage =
    "the caller cannot be identified: the daemon has run out of file descriptors; try again later"

  private func facts(_ lineage: [ProcessDetails], _ evidence: ProcessEvidence) -> Facts {
    let process = lineage[0]
    let leader =
      lineage.first { $0.pid == process.session } ?? ProcessDetails(of: process.session)
    return Facts(
      executable: evidence.executable, lineage: lineage.map { ($0.pid, $0.startTime) },
      session: .init(number: process.session, leaderStartTime: leader?.startTime),
      childOfDaemon: lineage.first { $0.parent == getpid() }?.pid, unit: unit(of: process),
      flatpak: evidence.flatpakFile.flatMap(FlatpakApplication.name).flatMap(BundleIdentifier.init),
      hops: CallerVariables.hops(in: evidence.variables),
      finding: webOrigin.finding(
        .init(
          executables: evidence.programs, controlGroup: process.controlGroup,
          variables: evidence.variables, start: evidence.start)))
  }
}
