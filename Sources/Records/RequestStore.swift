internal import Dispatch
internal import Synchronization

/// Stores the results of recent requests, and the running processes, for the next daemon.
///
/// A separate thread writes the file, so that a slow disk, or a process that has locked the file, delays only the
/// callers that need the result. Changes take effect in the order of the calls. A request with a name is written when
/// it is accepted, before it is delivered, and before its opener is answered; requests without a name are written in
/// groups, shortly after.
@MainActor package final class RequestStore {
  private let thread: RecordThread
  private let results = Results()
  private var waiting: [UInt64: @MainActor (Bool) -> Void] = [:]
  private var lastTicket: UInt64 = 0
  /// Fingerprints of the names that were used; nil until the thread has read those of earlier daemons.
  private var names: Set<UInt64>?
  private var namesSinceStart: Set<UInt64> = []
  /// Names with lookups under way: the number of lookups, and of requests of the name that were accepted
  /// during them.
  private var sought: [UInt64: (count: Int, accepted: Int)] = [:]
  /// Requests without a name, to be written in one transaction.
  private var batch: [UInt64: RequestEntry] = [:]
  private var isBatchDue = false
  /// Why the files are not used any more, a part of a sentence; nil while they are used.
  package private(set) var reasonOfLeaving: String?

  /// Every lookup waits for this long, so it must be rare and short.
  private static let mostInBatch = 256
  private static let delay = DispatchTimeInterval.milliseconds(100)

  /// - Parameters:
  ///   - age: for how long requests are kept, in seconds.
  ///   - sessionFolder: the folder of the login session, which shows the loss of the record; nil without one.
  ///   - remark: called with each event to log.
  package init(
    path: String, limit: Int, age: Int, sessionFolder: String? = nil,
    clock: RecordClock,
    remark: @escaping @MainActor @Sendable (RecordRemark) -> Void
  ) {
    let results = results
    let remarks: @Sendable (RecordRemark) -> Void = { what in onMain { remark(what) } }
    let finder = Reference<RequestStore>()
    thread = RecordThread {
      RecordFile(
        path: path, limit: limit, age: age, sessionFolder: sessionFolder, clock: clock,
        remark: remarks)
    } done: { some in
      guard !some.isEmpty, results.add(some) else { return }
      onMain { finder.value?.tellResults() }
    }
    finder.value = self
    thread.add(.ask { $0.onForgotten = { some in onMain { finder.value?.forget(some) } } })
    check()
  }

  deinit { thread.end() }

  // MARK: At the start

  /// Reads the state that the previous daemon stored, and reserves request numbers. Blocks until that is done.
  package func start(reserving count: UInt64) -> RecordedBefore {
    let answer = Mutex(RecordedBefore())
    let isDone = DispatchSemaphore(value: 0)
    thread.add(
      .ask { file in
        answer.withLock {
          $0 = RecordedBefore(
            reserved: file.reserveNumbers(count), survivors: file.memory.survivors,
            starts: file.memory.unfinishedStarts,
            sessions: Array(file.memory.sessions.values))
        }
        isDone.signal()
      })
    isDone.wait()
    return answer.withLock { $0 }
  }

  /// Reads some rows at a time, so that writes are not delayed.
  private func check() {
    let finder = Reference(self)
    thread.add(
      .ask { file in
        let names = file.checkSome() ? file.names : nil
        onMain {
          if let names { finder.value?.learn(names) } else { finder.value?.check() }
        }
      })
  }

  private func learn(_ some: Set<UInt64>) {
    names = some.union(namesSinceStart)
    namesSinceStart = []
  }

  private func forget(_ some: [UInt64]) { names?.subtract(some) }

  // MARK: Requests

  /// Writes the progress of a request.
  /// - Parameter then: called when the entry is written, at once for a request without a name; with false when the
  ///   next daemon will not find the request.
  package func record(_ entry: RequestEntry, then: @escaping @MainActor (Bool) -> Void = { _ in }) {
    guard let name = entry.name else {
      batch[entry.number] = entry
      if batch.count >= Self.mostInBatch { flush() } else { flushSoon() }
      return then(true)
    }
    if entry.progress == .accepted {
      for name in [name, name.ofParts].compactMap(\.self) { use(name.fingerprint) }
    }
    thread.add(.write([entry], ticket: ticket(then)))
  }

  private func use(_ name: UInt64) {
    if names == nil { namesSinceStart.insert(name) } else { names?.insert(name) }
    sought[name]?.accepted += 1
  }

  private func ticket(_ then: @escaping @MainActor (Bool) -> Void) -> UInt64 {
    lastTicket += 1
    waiting[lastTicket] = then
    return lastTicket
  }

  private func flushSoon() {
    guard !isBatchDue else { return }
    isBatchDue = true
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.delay) { [weak self] in
      MainActor.assumeIsolated { self?.flush() }
    }
  }

  /// Writes the requests that are not written yet.
  package func flush() {
    isBatchDue = false
    guard !batch.isEmpty else { return }
    thread.add(.write(batch.keys.sorted().compactMap { batch[$0] }, ticket: 0))
    batch = [:]
  }

  /// True when there was certainly no request of this name; otherwise the name must be looked up.
  /// - Parameter isRepeated: the client repeats a request. The record of the first one may be lost, so the name is
  ///   always looked up.
  package func isNew(_ name: RequestName, isRepeated: Bool = false) -> Bool {
    !isRepeated && names.map { !$0.contains(name.fingerprint) } ?? false
  }

  /// Like `isNew`, for a call of this name whose parts were recorded as requests.
  package func isNewCall(_ name: RequestName, isRepeated: Bool) -> Bool {
    isNew(name.ofAnyParts, isRepeated: isRepeated)
  }

  /// Finds the request of this name.
  /// - Parameter isRepeated: the client repeats the request.
  package func find(_ name: RequestName, isRepeated: Bool) async -> RequestFound {
    await seek(name.fingerprint) { $0.find(name, isRepeated: isRepeated) }
  }

  /// Finds the requests for the parts of a call of this name.
  package func findParts(of name: RequestName, isRepeated: Bool) async -> RequestPartsFound {
    await seek(name.ofAnyParts.fingerprint) { $0.findParts(of: name, isRepeated: isRepeated) }
  }

  /// Repeats a lookup when a request of this name was accepted during it.
  private func seek<Found: Sendable>(
    _ name: UInt64, _ question: @escaping @Sendable (RecordFile) -> Found
  ) async -> Found {
    sought[name, default: (0, 0)].count += 1
    defer {
      sought[name]?.count -= 1
      if sought[name]?.count == 0 { sought[name] = nil }
    }
    while true {
      let before = sought[name]?.accepted
      let found = await ask(question)
      if sought[name]?.accepted == before { return found }
    }
  }

  /// The newest requests, newest first, with all that were recorded before this call.
  /// - Parameter bytes: the size from which further requests are left out.
  package func recent(
    limit: Int, bytes: Int = .max, handler: String?, caller: String?, since: UInt64
  ) async -> [RequestEntry] {
    flush()
    return await ask {
      $0.recent(limit: limit, bytes: bytes, handler: handler, caller: caller, since: since)
    }
  }

  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (RecordFile) -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      thread.add(.ask { continuation.resume(returning: question($0)) })
    }
  }

  /// Reserves request numbers up to this one.
  /// - Parameter then: called with false when the next daemon may not find the number.
  package func reserve(_ number: UInt64, then: @escaping @MainActor (Bool) -> Void) {
    thread.add(.reserve(number, ticket: ticket(then)))
  }

  // MARK: Processes

  package func started(_ process: RunningProcess) { thread.add(.started(process)) }

  package func ended(pid: Int32) { thread.add(.ended(pid: pid)) }

  /// - Parameter then: called when the start is written: the process may be started.
  package func begin(_ start: ProcessStart, then: @escaping @MainActor () -> Void) {
    thread.add(.begin(start, ticket: ticket { _ in then() }))
  }

  /// The start has failed, or the process is recorded by its number.
  package func endStart(of application: String, slot: Int) {
    thread.add(.endStart(application: application, slot: slot))
  }

  package func began(_ session: StartedSession) { thread.add(.beginSession(session)) }

  package func endedSession(_ number: Int32) { thread.add(.endSession(number)) }

  // MARK: Files

  /// Checks whether the files were removed or replaced.
  package func lookAtPlace() { thread.add(.ask { $0.lookAtPlace() }) }

  /// Stops using the files, because another process uses them. From then on repeated requests are handled as
  /// when the record can be neither written nor read, and new ones with an identifier must be refused.
  package func leave(_ reason: String) {
    reasonOfLeaving = reason
    thread.add(.ask { $0.leave(reason) })
  }

  /// Blocks until all is written, at most some seconds, and then calls the completions.
  package func close() {
    flush()
    let isDone = DispatchSemaphore(value: 0)
    thread.add(
      .ask { file in
        file.countGap(isLast: true)
        isDone.signal()
      })
    _ = isDone.wait(timeout: .now() + .seconds(3))
    tellResults()
    for ticket in waiting.keys.sorted() { waiting.removeValue(forKey: ticket)?(false) }
    thread.end()
  }

  private func tellResults() {
    for (ticket, isWritten) in results.take() { waiting.removeValue(forKey: ticket)?(isWritten) }
  }
}

/// The state that the earlier daemon stored.
package struct RecordedBefore: Sendable {
  /// The request numbers that are reserved for this daemon, which no other daemon uses; nil when none could be reserved,
  /// because the record cannot be read or written.
  package var reserved: ClosedRange<UInt64>?
  package var survivors: [RunningProcess] = []
  /// The starts that were under way when the earlier daemon ended.
  package var starts: [ProcessStart] = []
  /// The sessions of processes that earlier daemons started, in no order. Most have ended.
  package var sessions: [StartedSession] = []
}

private final class Results: Sendable {
  private let all = Mutex<[(ticket: UInt64, isWritten: Bool)]>([])

  /// - Returns: false when taking them is scheduled already.
  func add(_ some: [(ticket: UInt64, isWritten: Bool)]) -> Bool {
    all.withLock { all in
      defer { all += some }
      return all.isEmpty
    }
  }

  func take() -> [(ticket: UInt64, isWritten: Bool)] {
    all.withLock { all in
      defer { all = [] }
      return all
    }
  }
}

@MainActor private final class Reference<Object: AnyObject> {
  weak var value: Object?
  nonisolated init() {}
  init(_ value: Object) { self.value = value }
}

private func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
  DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
}
