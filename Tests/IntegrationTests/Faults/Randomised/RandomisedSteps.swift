import BusContract
import DBus
internal import DBusMainLoop
import Glibc
import LaunchServicesTesting

// The steps of a plan, carried out.

extension RandomisedRun {
  func observe(_ event: Promises.Event) { wrong += promises.observe(event) }

  func perform(_ step: FaultPlan.Step) async throws {
    switch step {
    case .open(let open): self.open(open)
    case .flood(let opens):
      figures.fault("flood")
      for open in opens { self.open(open) }
    case .abandon(let open): try abandon(open)
    case .askAgain(let number): askAgain(number)
    case .cancel(let number): try await cancel(number)
    case .settle: try await settle()
    case .live(let life, let application):
      for fault in life.faults { figures.fault(fault) }
      observe(.mayBeTold(life.fates, application: application))
      if life.launch == .forkAndLeave { mayFork[application] = true }
      handlers[application].script = life.script
    case .killHandler(let application): try await killHandler(application)
    case .stopReading(let open): try await stopReading(open)
    case .stealToken(let application): try await stealToken(application)
    case .killDaemon: try await killDaemon()
    }
  }

  func open(_ open: FaultPlan.Open) {
    let index = ask(open)
    let client = clients[open.client]
    asked[index].openings.append(client.opening(asked[index].url, options(asked[index])))
  }

  /// - Returns: its place in `asked`.
  private func ask(_ open: FaultPlan.Open) -> Int {
    let url = "app\(open.application):\(prefix)\(open.number)"
    observe(
      .asked(
        url: url, application: open.application, client: open.client, isNamed: open.isNamed))
    asked.append(Asked(open: open, url: url))
    figures.requests += 1
    return asked.count - 1
  }

  private func options(_ asked: Asked) -> OpenOptions {
    var options = OpenOptions()
    options.requestID = asked.name
    options.cancellationID = asked.cancellation
    options.activate = asked.open.activates
    return options
  }

  private func abandon(_ open: FaultPlan.Open) throws {
    figures.fault("opener gone")
    let index = ask(open)
    let client = try TestClient(address: world.environment["DBUS_SESSION_BUS_ADDRESS"])
    _ = client.opening(asked[index].url, options(asked[index]))
    client.session.connection?.flush()
    asked[index].isAbandoned = true
  }

  func askAgain(_ number: Int) {
    guard let index = index(of: number), asked[index].name != nil else { return }
    askAgain(at: index)
  }

  func askAgain(at index: Int) {
    observe(.askedAgain(url: asked[index].url))
    let client = clients[asked[index].open.client]
    asked[index].openings.append(client.opening(asked[index].url, options(asked[index])))
  }

  private func index(of number: Int) -> Int? { asked.firstIndex { $0.open.number == number } }

  private func cancel(_ number: Int) async throws {
    guard let index = index(of: number), let cancellation = asked[index].cancellation else {
      return
    }
    let client = clients[asked[index].open.client]
    guard (try? await client.call(Contract.cancelOpen(cancellation))) != nil else { return }
    figures.fault("cancellation")
    observe(.cancelled(url: asked[index].url))
  }

  /// The processes of an application that this plan has started and that are there, oldest first.
  func processes(of application: Int) -> [Int32] {
    let handler = handlers[application]
    return handler.pids.dropFirst(started[application]).filter {
      ProcessTraces.runs($0, from: handler.path)
    }
  }

  private func killHandler(_ application: Int) async throws {
    guard let pid = processes(of: application).last else { return }
    figures.fault("handler killed")
    observe(.mayBeTold([.exited], application: application))
    kill(pid, SIGKILL)
  }

  private func stopReading(_ open: FaultPlan.Open) async throws {
    let pid = processes(of: open.application).last
    if let pid {
      figures.fault("handler stops reading")
      kill(pid, SIGSTOP)
    }
    self.open(open)
    _ = try await world.client.call(Contract.ping())
    if let pid { kill(pid, SIGCONT) }
  }

  private func stealToken(_ application: Int) async throws {
    guard let pid = processes(of: application).last,
      let token = ProcessTraces.variable("LAUNCH_SERVICES_TOKEN", of: pid)
    else { return }
    figures.fault("stolen token")
    var options = CheckInOptions()
    options.token = token
    guard (try? await clients[0].call(Contract.checkIn(options))) != nil else { return }
    wrong.append("a check-in with the token of process \(pid) was believed")
  }

  private func killDaemon() async throws {
    figures.fault("daemon killed")
    observe(.daemonKilled)
    try await world.killDaemon()
    countGivenUp()
    linesRead = 0
    try await world.startDaemon(RandomisedRunTests.options)
  }
}
