import BusContract
import Glibc
import LaunchServicesTesting

// What openers were told and handlers heard, and what is there.

extension RandomisedRun {
  /// Takes what there is. A handler goes on when the test has heard it, so that what led to an answer
  /// has been heard by then.
  func collect() async throws {
    var told: [(Int, Result<LaunchServicesTesting.Receipt, Refusal>)] = []
    for index in asked.indices where !asked[index].openings.isEmpty {
      for opening in asked[index].openings where opening.isAnswered {
        asked[index].openings.removeAll { $0 === opening }
        told.append((index, await answer(of: opening)))
      }
    }
    listen()
    for (index, answer) in told { tell(index, answer) }
  }

  private func answer(
    of opening: Opening
  ) async -> Result<LaunchServicesTesting.Receipt, Refusal> {
    do throws(Refusal) {
      return .success(try await opening.receipt())
    } catch {
      return .failure(error)
    }
  }

  private func listen() {
    for (application, handler) in handlers.enumerated() {
      for event in handler.heard() {
        switch event {
        case .started: handler.script.deliveries.removeAll { $0.contains(.ignoreTermination) }
        case .opened(let urls):
          // What a process of the last plan said at its end may come late.
          for url in urls where url.url.contains(":" + prefix) {
            observe(.arrived(url: url.url, application: application))
          }
        default: break
        }
      }
    }
  }

  private func tell(_ index: Int, _ answer: Result<LaunchServicesTesting.Receipt, Refusal>) {
    let fate = Fate(answer)
    if fate == .cutOff, asked[index].name != nil { return askAgain(at: index) }
    if case .failure(let refusal) = answer, refusal.text.contains(Contract.openGoesOn) {
      // Only this call has ended. A call that asks again learns the fate of the request.
      return askAgain(at: index)
    }
    figures.fates["\(fate)", default: 0] += 1
    observe(.told(url: asked[index].url, fate, number: (try? answer.get())?.request))
  }

  /// Waits until every open has its fate.
  func settle() async throws {
    for handler in handlers { handler.isPausing = false }
    defer { for handler in handlers { handler.isPausing = true } }
    unread = []
    for index in asked.indices {
      if let opener = asked[index].opener {
        try await opener.line(containing: "ended")
        asked[index].opener = nil
      }
      if asked[index].isAbandoned {
        asked[index].isAbandoned = false
        askAgain(at: index)
      }
      while let opening = asked[index].openings.first {
        let answer = await answer(of: opening)
        asked[index].openings.removeFirst()
        listen()
        tell(index, answer)
      }
    }
    wrong += promises.withoutFate.map { "\($0) has no fate" }
  }
}

// MARK: - What is there

extension RandomisedRun {
  func footprint() throws -> Footprint {
    try Footprint(
      of: world.daemon.pid, processes: handlers.indices.map { processes(of: $0).count })
  }

  private func excesses(_ footprint: Footprint) -> [String] {
    footprint.excesses(
      over: idle, strays: strays,
      connections: unread.count + asked.count { $0.opener != nil })
  }

  /// What is too much must be so still when the daemon has answered some calls: on a busy machine its log,
  /// which says what it gave up, is read later than its processes are counted.
  func checkFootprint() async throws {
    countGivenUp()
    var footprint = try self.footprint()
    for _ in 0..<1_000 where !excesses(footprint).isEmpty {
      _ = try await world.client.call(Contract.ping())
      countGivenUp()
      footprint = try self.footprint()
    }
    figures.note(footprint)
    wrong += excesses(footprint)
  }

  private var strays: [Int] {
    handlers.indices.map { application in
      givenUp[application]
        + (mayFork[application] ? handlers[application].pids.count - started[application] : 0)
    }
  }

  /// Reads what the daemon has written since this was called last.
  func countGivenUp() {
    for line in world.daemon.lines[linesRead...] where line.contains("did not check in again") {
      for application in handlers.indices
      where line.contains("application=\(handlers[application].identifier) ") {
        givenUp[application] += 1
      }
    }
    linesRead = world.daemon.lines.count
  }

  /// Also those that nobody has heard of yet, which others have started.
  func endHandlers() async throws {
    while true {
      let pids = handlers.flatMap { ProcessTraces.all(from: $0.path) }
      for pid in pids { kill(pid, SIGKILL) }
      let running = try await world.client.running()
      if pids.isEmpty, running.isEmpty { return }
    }
  }

  /// Nothing is left of a plan. A process that was killed is the daemon's child until it is reaped, which
  /// on a busy machine may be some calls later.
  func checkLeftovers() async throws {
    var left = try footprint()
    for _ in 0..<1_000 where left.children > 0 || left.descriptors > idle.descriptors + 2 {
      _ = try await world.client.call(Contract.ping())
      left = try footprint()
    }
    if left.descriptors > idle.descriptors + 2 {
      wrong.append("the idle daemon has \(left.descriptors) descriptors, not \(idle.descriptors)")
    }
    if left.children > 0 { wrong.append("the idle daemon has \(left.children) children") }
  }
}

extension Fate {
  /// What an opener was told.
  fileprivate init(_ answer: Result<LaunchServicesTesting.Receipt, Refusal>) {
    switch answer {
    case .success(let receipt):
      switch receipt.outcome.delivery {
      case .delivered: self = .delivered
      case .handedOver: self = .other("handed-over")
      case .vetoed: self = .vetoed
      case .withoutURL: self = .other("without-url")
      case .unacknowledged: self = .other("unacknowledged")
      }
    case .failure(let refusal):
      switch refusal.name {
      case "org.launchservices.Error.HandlerRefused": self = .refused
      case "org.launchservices.Error.HandlerExited": self = .exited
      case "org.launchservices.Error.Cancelled": self = .cancelled
      case "org.launchservices.Error.DeliveryUnknown": self = .unknown
      case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown":
        self = .cutOff
      default: self = .other("\(refusal)")
      }
    }
  }
}
