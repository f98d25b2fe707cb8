import BusContract
import DBus
internal import DBusMainLoop
import Foundation
import Glibc
import LaunchServicesTesting

@testable import Records

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
    case .orphan(let open): try orphan(open)
    case .stopReadingAnswers: try await stopReadingAnswers()
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
    case .damageRecord(let page): try await damageRecord(page)
    }
  }

  func open(_ open: FaultPlan.Open) {
    let index = ask(open, client: open.client)
    let client = clients[open.client]
    asked[index].openings.append(client.opening(asked[index].url, options(asked[index])))
  }

  /// - Returns: its place in `asked`.
  private func ask(_ open: FaultPlan.Open, client: Int?) -> Int {
    let url = "app\(open.application):\(prefix)\(open.number)"
    observe(
      .asked(
        url: url, application: open.application, client: client, hasRequestID: open.hasRequestID))
    asked.append(RequestedOpen(open: open, url: url))
    figures.requests += 1
    return asked.count - 1
  }

  private func options(_ asked: RequestedOpen) -> OpenOptions {
    var options = OpenOptions()
    options.requestID = asked.name
    options.cancellationID = asked.cancellation
    options.activate = asked.open.activates
    return options
  }

  private func abandon(_ open: FaultPlan.Open) throws {
    figures.fault("opener gone")
    let index = ask(open, client: nil)
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

  /// Its parent changes while it waits, and with that who it is to the daemon.
  private func orphan(_ open: FaultPlan.Open) throws {
    figures.fault("parent of the opener gone")
    let index = ask(open, client: nil)
    let lsopen = Fixture.program("lsopen")
    asked[index].isAbandoned = true
    asked[index].opener = try world.startProcess(
      "/bin/sh",
      [
        "-c", #"("$0" "$@"; echo "ended") &"#, lsopen, "--request-id", asked[index].name ?? "",
        asked[index].url,
      ])
  }

  private func stopReadingAnswers() async throws {
    guard unread.count < Self.mostUnread else { return }
    figures.fault("answers not read")
    let connection = try Connection(
      socket: try await DirectTests.socket(of: world), within: .seconds(20))
    for _ in 0..<400 where !connection.hasUnwritten {
      connection.send(
        .call(
          to: Contract.busName, path: Contract.objectPath,
          interface: Contract.introspectable.name, member: "Introspect"))
    }
    unread.append(connection)
  }

  /// At a time.
  private static let mostUnread = 4

  private func killDaemon(_ meanwhile: () async throws -> Void = {}) async throws {
    figures.fault("daemon killed")
    observe(.daemonKilled)
    try await world.killDaemon()
    countGivenUp()
    linesRead = 0
    try await meanwhile()
    try await world.startDaemon(RandomisedRunTests.options)
  }

  private func damageRecord(_ page: Int) async throws {
    figures.fault("record damaged")
    observe(.recordDamaged)
    let folder = world.environment["XDG_STATE_HOME"] ?? ""
    try await killDaemon {
      // The next daemon may know nothing of those that run, also of those that have told nothing yet, or that
      // the daemon has created and that have not executed their program.
      try await waitUntil("the children of the daemon run their programs") {
        ProcessTraces.all(of: Fixture.program("launchservicesd")).allSatisfy {
          ProcessTraces.variable("XDG_STATE_HOME", of: $0) != folder
        }
      }
      for application in handlers.indices {
        givenUp[application] += ProcessTraces.all(from: handlers[application].path).count
      }
      let path = folder + "/launch-services/requests.sqlite"
      try Database(path: path).run("PRAGMA wal_checkpoint(TRUNCATE)")
      var bytes = try Data(contentsOf: URL(filePath: path))
      let start = page % (bytes.count / 4096) * 4096
      bytes.replaceSubrange(start..<start + 4096, with: Data(repeating: 0x5A, count: 4096))
      try bytes.write(to: URL(filePath: path))
    }
  }
}
