internal import DBus
package import DBusMainLoop
internal import Glibc
package import Host
package import LaunchRules
package import ProcessSupervision

/// The processes behind connections, as identified by the bus and the kernel. Statements of callers about
/// themselves are ignored.
package final class CallerTable {
  private enum Entry {
    case asking(waiting: [(Answer) -> Void], hasLeft: Bool = false)
    case known(Answer)
  }

  private let session: BusSession
  private let webOrigin: WebOrigin
  private let services: ServiceManager
  /// Returns the peer of a direct connection; nil for bus connections.
  private let directPeer: (String) -> DirectPeer?
  /// The lookup in another process; nil when this process can read the kernel's information itself.
  private let lookup: ProcessLookup?
  private let journal: Journal
  private let survey = ProcessSurvey()
  private var recent = RecentProcesses()
  private var entries: [String: Entry] = [:]
  /// Closed connections whose facts are still kept.
  private var closed: Set<String> = []
  private var arrivals = ConnectionArrivals()
  /// Units with unknown instances, with the connections that wait for the instance.
  private var waitingForUnit: [String: [String: Facts]] = [:]

  /// Timeout for the bus to return the credentials of a caller: the time that callers wait for an answer by
  /// default. Shorter, a bus that is busy with another client would have callers refused.
  private static let patience = Duration.seconds(25)

  package init(
    _ session: BusSession, _ webOrigin: WebOrigin, _ services: ServiceManager,
    _ lookup: ProcessLookup?, _ journal: Journal,
    directPeer: @escaping (String) -> DirectPeer?
  ) {
    self.session = session
    self.directPeer = directPeer
    self.webOrigin = webOrigin
    self.services = services
    self.lookup = lookup
    self.journal = journal
    lookup?.unitOfProcess = services.unit
  }

  /// Calls `body` with the facts: immediately when they are known, otherwise later. The calls for one
  /// connection keep their order.
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

  /// The facts of a connection; nil when they are unknown.
  package func facts(of sender: String) -> Facts? {
    if case .known(.success(let facts)) = entries[sender] { facts } else { nil }
  }

  /// Whether the connection is still open.
  package func isConnected(_ sender: String) -> Bool {
    entries[sender] != nil && !closed.contains(sender)
  }

  /// Fails all pending lookups.
  package func giveUp() {
    for case .asking(let waiting, _) in entries.values {
      for body in waiting { body(.failure(.notOurs)) }
    }
    entries = [:]
    waitingForUnit = [:]
  }

  // MARK: Units

  private func unit(of process: ProcessDetails) -> String? { services.unit(of: process) }

  /// Makes the calls of processes in this unit wait until `endWaiting`.
  package func beginWaiting(for unit: String) { waitingForUnit[unit] = [:] }

  /// Continues the calls of processes in this unit, after the instance of the unit is known.
  package func endWaiting(for unit: String) {
    for (sender, facts) in waitingForUnit.removeValue(forKey: unit) ?? [:] {
      guard case .asking(let waiting, _) = entries[sender] else { continue }
      entries[sender] = .known(.success(facts))
      for body in waiting { body(.success(facts)) }
    }
  }

  /// Continues the calls of a connection that closed while it waited. Its earlier calls are still handled.
  private func endWaiting(leaving sender: String) {
    for unit in waitingForUnit.keys {
      guard let facts = waitingForUnit[unit]?.removeValue(forKey: sender) else { continue }
      guard case .asking(let waiting, _) = entries[sender] else { return }
      entries[sender] = .known(.success(facts))
      for body in waiting { body(.success(facts)) }
    }
  }

  package func arrived(_ sender: String) { arrivals.add(sender) }

  /// Records the closing of a connection. Its facts are kept until `forget`.
  package func left(_ sender: String) {
    arrivals.remove(sender)
    if entries[sender] != nil { closed.insert(sender) }
    endWaiting(leaving: sender)
  }

  /// Removes the facts of a connection. The bus never reuses the name.
  package func forget(_ sender: String) {
    closed.remove(sender)
    switch entries[sender] {
    case .known: entries[sender] = nil
    case .asking(let waiting, _): entries[sender] = .asking(waiting: waiting, hasLeft: true)
    case nil: break
    }
  }

  private func ask(_ sender: String) {
    switch directPeer(sender) {
    case .process(let credentials)?:
      return answered(sender, .success([.options(credentials)]))
    case .remote(let name)?: return found(.success(Facts(of: name)), of: sender)
    case nil: break
    }
    let question = MessageBus.credentials(of: sender)
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
      // The connection may have closed before the answer, in which case no signal follows.
      guard case .asking(let waiting, _) = entries.removeValue(forKey: sender) else { return }
      let failure = error.name == .nameHasNoOwner ? .notOurs : unsaid(error)
      for body in waiting { body(.failure(failure)) }
    }
  }

  private func unsaid(_ error: BusError) -> Unknown {
    journal.warning(
      "the message bus did not return the credentials of a caller", ["reason": error.text])
    return Self.unread(
      "the message bus did not return the credentials of the caller (\(error.text)); try again later"
    )
  }

  private func found(_ answer: Answer, of sender: String) {
    guard case .asking(let waiting, let hasLeft) = entries[sender] else { return }
    if !hasLeft, case .success(let facts) = answer, let unit = facts.unit,
      waitingForUnit[unit] != nil
    {
      waitingForUnit[unit]?[sender] = facts
      return
    }
    entries[sender] = .known(answer)
    for body in waiting { body(answer) }
    // Calls from before the closing are still handled. The next call tries again to read evidence that could
    // not be read.
    if case .failure(.unread) = answer { entries[sender] = nil }
    if hasLeft { entries[sender] = nil }
  }

  /// Calls `body` with the facts of a process that need not have a connection.
  /// - Parameter startTime: in clock ticks since boot.
  package func withFacts(
    ofProcess pid: Int32, startTime: UInt64, _ body: @escaping (Answer) -> Void
  ) {
    guard let process = ProcessDetails(of: pid), process.startTime == startTime,
      process.user == getuid()
    else { return body(.failure(.notOurs)) }
    read(process) { answer in
      body(ProcessDetails(of: pid)?.startTime == startTime ? answer : .failure(.notOurs))
    }
  }

  /// Identifies the process that connected.
  private func find(
    _ credentials: Options, of sender: String, _ answer: @escaping (Answer) -> Void
  ) {
    let found = Self.unlessShort(answer)
    // A process that started after the connection was made has a reused process number: the process that
    // connected has passed the connection on and ended.
    guard let user = credentials["UnixUserID"]?.asUInt32, user == getuid(),
      let number = credentials["ProcessID"]?.asUInt32, let pid = Int32(exactly: number),
      let process = ProcessDetails(of: pid), process.startedAt <= arrivals.time(of: sender)
    else { return found(.failure(.notOurs)) }
    // The credentials of a direct connection are those at connection time, so this check concerns only bus
    // connections.
    if directPeer(sender) == nil, arrivals.mayBeOfAnother(sender, process) {
      return found(.failure(Self.reused))
    }
    read(process) { answer in
      // If the process that connected still exists, all evidence was read from that process.
      if case .success = answer, let descriptor = credentials["ProcessFD"]?.asDescriptor,
        processNumber(of: descriptor.number) != pid
      {
        return found(.failure(.notOurs))
      }
      found(answer)
    }
  }

  /// Reads the evidence about the process. The order of the steps matters: the last read must still concern the same
  /// process.
  /// - Parameter isRepeated: whether this is the second attempt, after the answer of the service manager.
  private func read(
    _ process: ProcessDetails, isRepeated: Bool = false, _ found: @escaping (Answer) -> Void
  ) {
    if let facts = recent.facts(of: process) { return found(.success(facts)) }
    let completion = Self.unlessShort { [weak self] answer in
      if case .success(let facts) = answer { self?.recent.add(facts, of: process) }
      found(answer)
    }
    if !services.saysUnits, services.unit(of: process) == nil {
      let mayBeApplication = isBelowApplicationUnit(process)
      // The process that reads for a confined daemon must be identified by its unit, too.
      if !isRepeated, mayBeApplication || lookup != nil {
        return services.withControlGroup { [weak self] in
          self?.read(process, isRepeated: true, found)
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
      completion(.success(facts(lineage, evidence)))
    }
    guard let lookup else {
      return survey.findStart(of: lineage) {
        finish(ProcessEvidence(reading: lineage, variables: CallerVariables.names, start: $0))
      }
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

  /// Whether the control group of the process, or one of its ancestors, is named like the unit of an
  /// application.
  private func isBelowApplicationUnit(_ process: ProcessDetails) -> Bool {
    let groups = process.controlGroup?.split(separator: "/") ?? []
    return groups.contains { ApplicationUnit.identifier(in: String($0)) != nil }
  }

  private static let unitUnsaid = unread(
    "the service manager did not return the control group of its units; try again later")

  private static let reused = unread(
    "the process ID of the caller may have been reused since the process connected to the bus;"
      + " connect again from a process that opens its connection itself")

  private static func failure(_ problem: Lineage.Problem) -> Unknown {
    problem == .gone ? .notOurs : unread("\(problem)")
  }

  private static func unread(_ why: String) -> Unknown {
    .unread("the caller cannot be identified: \(why)")
  }

  /// Replaces the answer by a failure if descriptors run out until then: what could not be read may be missing.
  private static func unlessShort(_ found: @escaping (Answer) -> Void) -> (Answer) -> Void {
    let shortages = DescriptorShortage.count
    return { answer in
      found(DescriptorShortage.count == shortages ? answer : .failure(.unread(shortage)))
    }
  }

  private static let shortage =
    "the caller cannot be identified: the daemon has run out of file descriptors; try again later"

  private func facts(_ lineage: [ProcessDetails], _ evidence: ProcessEvidence) -> Facts {
    let process = lineage[0]
    let leader =
      lineage.first { $0.pid == process.session } ?? ProcessDetails(of: process.session)
    // The evidence compares with the programs of the session. A confined daemon and its helpers have namespaces of
    // their own.
    let otherNamespaces =
      evidence.otherNamespaces.isEmpty ? [] : process.otherNamespaces(among: Outsider.namespaces)
    let unit = unit(of: process)
    return Facts(
      executable: evidence.executable, lineage: lineage.map { ($0.pid, $0.startTime) },
      session: .init(number: process.session, leaderStartTime: leader?.startTime),
      childOfDaemon: lineage.first { $0.parent == getpid() }?.pid, unit: unit,
      flatpak: evidence.flatpakFile.flatMap { FlatpakApplication.identifier(in: $0, unit: unit) },
      hops: CallerVariables.hops(in: evidence.variables),
      finding: webOrigin.finding(
        .init(
          executables: evidence.programs, controlGroup: process.controlGroup,
          variables: evidence.variables, start: evidence.start)),
      display: CallerVariables.display(in: evidence.variables),
      hasTerminal: evidence.start == .terminal,
      outsider: Outsider(
        // sshd hides its executable, and its own word can only take rights away.
        program: evidence.executable?.name ?? process.name, otherNamespaces: otherNamespaces),
      hasOtherRoot: evidence.hasOtherRoot && process.hasOtherRoot,
      // A login begins with a process of the system.
      beginsWithUser: lineage.last { $0.pid > 1 }?.user == geteuid())
  }
}
