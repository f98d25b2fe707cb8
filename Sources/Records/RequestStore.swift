internal import Dispatch
internal import Synchronization

/// What has become of recent requests, and which processes run, as the next daemon must know it.
///
/// A thread of its own writes it, so that only who must waits for the disk, or for a process that has locked the
/// file. What is said here takes effect in the order in which it is said. A request with a name is written when it
/// is accepted, before it is handed over, and before its opener is told; the others together, a moment later.
@MainActor package final class RequestStore {
  private let thread: RecordThread
  private let results = Results()
  private var waiting: [UInt64: @MainActor (Bool) -> Void] = [:]
  private var lastTicket: UInt64 = 0
  /// Fingerprints of the names that were used; nil until the thread has told those of before.
  private var names: Set<UInt64>?
  private var namesSinceStart: Set<UInt64> = []
  /// Names that are looked for at this moment: how many look, and how many requests of the name were accepted
  /// meanwhile.
  private var sought: [UInt64: (count: Int, accepted: Int)] = [:]
  /// Requests without a name that are to be written together.
  private var batch: [UInt64: RequestEntry] = [:]
  private var isBatchDue = false

  /// Everybody who asks about the record waits for that long, so it is to be seldom and short.
  private static let mostInBatch = 256
  private static let delay = DispatchTimeInterval.milliseconds(100)

  /// - Parameters:
  ///   - age: for how long requests are kept, in seconds.
  ///   - now: microseconds since 1970.
  ///   - remark: told what the log is to say.
  package init(
    path: String, limit: Int, age: Int, now: @escaping @Sendable () -> UInt64,
    remark: @escaping @MainActor @Sendable (RecordRemark) -> Void
  ) {
    let results = results
    let remarks: @Sendable (RecordRemark) -> Void = { what in onMain { remark(what) } }
    let finder = Reference<RequestStore>()
    thread = RecordThread {
      RecordFile(path: path, limit: limit, age: age, now: now, remark: remarks)
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

  /// What is there of before; waits for it.
  package func start() -> RecordedBefore {
    let answer = Mutex(RecordedBefore())
    let isDone = DispatchSemaphore(value: 0)
    thread.add(
      .ask { file in
        answer.withLock {
          $0 = RecordedBefore(
            lastNumber: file.lastNumber, survivors: file.memory.survivors,
            starts: file.memory.unfinishedStarts)
        }
        isDone.signal()
      })
    isDone.wait()
    return answer.withLock { $0 }
  }

  /// Some rows at a time, so that writes come between.
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

  /// Writes how far a request has come.
  /// - Parameter then: called when it is written, at once when it has no name, with false when the next daemon will
  ///   not know of it.
  package func note(_ entry: RequestEntry, then: @escaping @MainActor (Bool) -> Void = { _ in }) {
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

  /// Writes what is still to be written.
  package func flush() {
    isBatchDue = false
    guard !batch.isEmpty else { return }
    thread.add(.write(batch.keys.sorted().compactMap { batch[$0] }, ticket: 0))
    batch = [:]
  }

  /// True when there was surely no request of this name; else the name must be looked for.
  /// - Parameter isRepeated: the client says that it made the request before. The record of that time may be lost, so
  ///   that the name is looked for in any case.
  package func isNew(_ name: RequestName, isRepeated: Bool = false) -> Bool {
    !isRepeated && names.map { !$0.contains(name.fingerprint) } ?? false
  }

  /// The same for a call of this name whose parts were requests.
  package func isNewCall(_ name: RequestName, isRepeated: Bool) -> Bool {
    isNew(name.ofAnyParts, isRepeated: isRepeated)
  }

  /// What is known of a request of this name.
  /// - Parameter isRepeated: Its client says that it has asked for it before.
  package func find(_ name: RequestName, isRepeated: Bool) async -> RequestFound {
    await seek(name.fingerprint) { $0.find(name, isRepeated: isRepeated) }
  }

  /// What is known of the requests for the parts of a call of this name.
  package func findParts(of name: RequestName, isRepeated: Bool) async -> RequestPartsFound {
    await seek(name.ofAnyParts.fingerprint) { $0.findParts(of: name, isRepeated: isRepeated) }
  }

  /// Asks again when a request of this name was accepted before the answer was here.
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

  /// The newest requests, newest first, with all that were noted before.
  package func recent(
    limit: Int, handler: String?, caller: String?, since: UInt64
  ) async -> [RequestEntry] {
    flush()
    return await ask { $0.recent(limit: limit, handler: handler, caller: caller, since: since) }
  }

  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (RecordFile) -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      thread.add(.ask { continuation.resume(returning: question($0)) })
    }
  }

  /// Numbers up to this one may be given out from now on.
  package func reserve(_ number: UInt64) { thread.add(.reserve(number)) }

  // MARK: Processes

  package func started(_ process: RunningProcess) { thread.add(.started(process)) }

  package func ended(pid: Int32) { thread.add(.ended(pid: pid)) }

  /// - Parameter then: called when it is written: the process may be started.
  package func begin(_ start: ProcessStart, then: @escaping @MainActor () -> Void) {
    thread.add(.begin(start, ticket: ticket { _ in then() }))
  }

  /// It has failed, or the process can be known by what it has done since.
  package func endStart(of application: String, seat: Int) {
    thread.add(.endStart(application: application, seat: seat))
  }

  // MARK: Files

  /// The files may have gone from their place.
  package func lookAtPlace() { thread.add(.ask { $0.lookAtPlace() }) }

  /// Waits until all is written, at most some seconds, and then does what waits for that.
  package func close() {
    flush()
    let isDone = DispatchSemaphore(value: 0)
    thread.add(.ask { _ in isDone.signal() })
    _ = isDone.wait(timeout: .now() + .seconds(3))
    tellResults()
    for ticket in waiting.keys.sorted() { waiting.removeValue(forKey: ticket)?(false) }
    thread.end()
  }

  private func tellResults() {
    for (ticket, isWritten) in results.take() { waiting.removeValue(forKey: ticket)?(isWritten) }
  }
}

/// What the daemon before this one has left.
package struct RecordedBefore: Sendable {
  /// No daemon has given out a greater number; nil when that is not known.
  package var lastNumber: UInt64?
  package var survivors: [RunningProcess] = []
  /// Those during which it has ended.
  package var starts: [ProcessStart] = []
}

private final class Results: Sendable {
  private let all = Mutex<[(ticket: UInt64, isWritten: Bool)]>([])

  /// - Returns: false when somebody is about to take them already.
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
