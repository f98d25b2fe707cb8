internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import Dispatch
internal import Host
internal import LaunchRules

/// Receives the method calls of all connections and schedules their answers fairly between callers.
///
/// All callers get the same share of time, whether they call over the bus or over direct connections, and
/// regardless of the number of their connections. A caller is a process, or a unit that belongs to an
/// application; see `CallerTable.Facts.share`. Calls of one connection take effect in the order of arrival.
/// The server sends no further replies to a caller that does not read its replies.
///
/// Calls that arrive before `begin` are queued within the same limits.
final class ObjectServer {
  /// Answers a call. The server sends an error that the closure throws as the reply.
  var onRequest: ((Request) throws(BusError) -> Reply)?
  /// Called with the name of a closed connection, after the last call of the connection is handled.
  var onForget: ((String) -> Void)?
  /// Called for each received call.
  var onWork: (() -> Void)?
  /// Returns the properties of the registry interface.
  var registryProperties: () -> Options = { [:] }

  private enum State {
    /// The components that answer calls are not ready yet.
    case beginning
    /// Calls are answered at once, for `CallLimits.patience`. `spent`: the time that answers have taken so far, in
    /// nanoseconds.
    case idle(spent: UInt64)
    /// A call is being answered.
    case answering
    /// Queued calls are answered in a later turn of the main queue, after other events.
    case continuing
    /// Every call fails with this error.
    case stopped(BusError)
  }

  private typealias Peer = ServedPeers.Peer

  private let bus: BusSession
  private let callers: CallerTable
  private let limits: WaitingCalls
  private var queue: ServedPeers.Queue
  private var peers = ServedPeers()
  /// Calls with an asynchronous answer; further calls of their connections are blocked.
  private var slow: [ObjectIdentifier: PendingCall] = [:]
  private var refusals = Refusals()
  private var state = State.beginning

  /// - Parameter time: monotonic clock, in nanoseconds.
  init(
    _ bus: BusSession, _ callers: CallerTable, _ limits: WaitingCalls,
    time: @escaping () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
  ) {
    queue = ServedPeers.Queue(credit: CallLimits.credit, time: time)
    self.bus = bus
    self.callers = callers
    self.limits = limits
  }

  /// Handles the calls of a connection: of the bus connection or of one direct peer. Limits the replies of the other end.
  func serve(_ session: BusSession) {
    session.mostReplyBytes = CallLimits.mostReplyBytes
    // A session with unwritten messages may live longer than the server.
    session.onCall = { [weak self, unowned session] in self?.receive($0, on: session) }
    session.onExchange = { [weak self] in
      self?.refusals.answerSoon()
      self?.answerCalls()
    }
  }

  private func receive(_ call: PendingCall, on session: BusSession) {
    if case .stopped(let error) = state { return call.fail(error) }
    onWork?()
    let peer = peers.peer(call.sender, on: session)
    if peer.facts == nil { identify(peer) }
    guard !call.hasLongPath else { return refuse(call, CallLimits.tooLongPath, of: peer) }
    guard peer.line.share.count < limits.calls, peer.line.share.bytes < limits.bytes,
      peers.hasRoom(for: peer, limits.admission)
        || peer.line.share.count == 0
          && call.argumentBytes(atMost: CallAdmission.little + 1) <= CallAdmission.little
    else { return refuse(call, limits.error, of: peer) }
    // A queued call keeps only the descriptors among its arguments: libdbus stops reading from every
    // connection when it holds too many descriptors.
    let start = queue.time()
    let bytes = CallLimits.bytesOfCall + call.argumentBytes(atMost: CallLimits.mostCountedBytes)
    let waiting = WaitingCall(reading: call, of: peer, bytes: bytes)
    if call.hasDescriptors || bytes > CallLimits.mostKeptBytes || !peer.line.isEmpty
      || peer.line.isBlocked
    {
      call.dropArguments()
    }
    let cost =
      queue.time() - start + CallLimits.costOfByte * UInt64(bytes)
    add(waiting, bytes, cost)
    if session !== bus, peer.isFull, session.reads {
      peers.pause(peer)
    }
  }

  /// Answers a call that is not queued.
  private func refuse(_ call: PendingCall, _ error: BusError, of peer: Peer) {
    refusals.add(call, error, on: peer.session)
    forgetUnread(peer)
  }

  /// If the process evidence could not be read, the next call identifies the caller again.
  private func forgetUnread(_ peer: Peer) {
    if case .failure(.unread) = peer.facts, peer.line.isEmpty, !peer.hasLeft { peer.facts = nil }
  }

  private func add(_ waiting: WaitingCall, _ bytes: Int, _ cost: UInt64) {
    var waiting = waiting
    if waiting.bringsStreams {
      if waiting.peer.callsWithStreams < CallLimits.mostWithStreams {
        waiting.peer.callsWithStreams += 1
      } else {
        waiting = WaitingCall(
          content: .failure(CallLimits.tooManyStreams), call: waiting.call, peer: waiting.peer,
          bytes: bytes)
      }
    }
    queue.add(waiting, bytes: bytes, cost: cost, to: waiting.peer.line)
  }
}

// MARK: - Identification of callers

extension ObjectServer {
  /// Blocks the calls of the connection until the caller is identified.
  private func identify(_ peer: Peer) {
    peer.facts = .failure(.notOurs)
    queue.block(peer.line)
    var isAtOnce = true
    callers.withFacts(of: peer.name) { [weak self] facts in
      guard let self else { return }
      peer.facts = facts
      if case .success(let facts) = facts { join(peer, facts) }
      if isAtOnce { queue.unblock(peer.line) } else { unblock(peer) }
    }
    isAtOnce = false
  }

  /// Gives the calls of the connection to its caller, as many as the limits of the caller admit.
  private func join(_ peer: Peer, _ facts: CallerTable.Facts) {
    let share = peers.join(peer, facts)
    guard share !== peer.line.share else { return }
    var (count, bytes) = (share.count, share.bytes)
    var excess = queue.removeAll(of: peer.line) { waiting in
      guard count < limits.calls, bytes < limits.bytes else { return true }
      (count, bytes) = (count + 1, bytes + waiting.bytes)
      return false
    }
    queue.move(peer.line, to: share)
    if !peers.hasRoom(for: peer, limits.admission) {
      var isFirst = share.count == peer.line.count
      excess += queue.removeAll(of: peer.line) { waiting in
        defer { isFirst = false }
        return !(isFirst && waiting.bytes <= CallAdmission.little)
      }
    }
    for waiting in excess {
      if waiting.bringsStreams { peer.callsWithStreams -= 1 }
      refusals.add(waiting.call, limits.error, on: peer.session)
    }
  }

  /// Handles the closing of a connection. Queued calls that change state still take effect, in their turn; queued questions
  /// are dropped.
  func left(_ name: String) {
    guard let peer = peers[name] else {
      onForget?(name)
      return
    }
    peer.hasLeft = true
    refusals.remove(name)
    for waiting in queue.removeAll(of: peer.line, where: \.isQuestion) { abandon(waiting) }
    forgetIfDone(peer)
    answerCalls()
  }

  private func forgetIfDone(_ peer: Peer) {
    guard peer.hasLeft, peer.line.isEmpty, !peer.line.isBlocked, peers[peer.name] === peer
    else { return }
    peers.remove(peer)
    onForget?(peer.name)
  }
}

// MARK: - Answers

extension ObjectServer {
  /// Starts to answer calls, including those queued before.
  func begin() {
    guard case .beginning = state else { return }
    resume()
  }

  /// Answers queued calls, unless a continuation is already scheduled.
  private func answerCalls() {
    guard case .idle(let spent) = state else { return }
    answerSome(spent)
  }

  /// Answers queued calls for a short time. After that time, the calls that have arrived meanwhile are read before the next
  /// answer, so that the queue decides which call is next, and not the order in which the connections are read.
  private func answerSome(_ spent: UInt64) {
    state = .answering
    let start = queue.time()
    var now = start
    defer { readAgain() }
    while spent + (now - start) < CallLimits.patience {
      guard let turn = queue.next(where: mayAnswer) else {
        state = .idle(spent: spent + (now - start))
        return
      }
      answer(turn.call)
      guard !isStopped else { return }
      let before = now
      now = queue.time()
      queue.answered(turn, cost: now - before)
    }
    state = .continuing
    DispatchQueue.main.async { [weak self] in MainActor.assumeIsolated { self?.resume() } }
  }

  private func resume() {
    guard !isStopped else { return }
    state = .idle(spent: 0)
    answerCalls()
  }

  private var hasBegun: Bool { if case .beginning = state { false } else { true } }
  private var isStopped: Bool { if case .stopped = state { true } else { false } }

  /// Returns false while the caller has too many unread bytes of replies. The next exchange of messages
  /// checks again.
  private func mayAnswer(_ waiting: WaitingCall) -> Bool {
    // An answer that has begun is finished, also for a caller that does not read: few are made at a time.
    if waiting.step != nil { return true }
    // The size of an answer that is being made is unknown.
    if waiting.hasLargeAnswer, peers.waitsForLargeAnswer(waiting.peer) { return false }
    let session = waiting.peer.session
    if session === bus { return session.unwrittenBytes <= CallLimits.mostUnwrittenToBus }
    guard session.unwrittenBytes <= CallLimits.mostUnwritten else { return false }
    return peers.unwrittenBytes(ofCallerOf: waiting.peer, besides: bus)
      <= CallLimits.mostUnwrittenOfCaller
  }

  private func answer(_ waiting: WaitingCall) {
    let (call, peer) = (waiting.call, waiting.peer)
    defer { forgetIfDone(peer) }
    if waiting.step == nil, waiting.bringsStreams { peer.callsWithStreams -= 1 }
    if peer.hasLeft || peer.session.peerHasLeft, waiting.isQuestion { return abandon(waiting) }
    if let step = waiting.step { return take(step, of: waiting) }
    do throws(BusError) {
      let content = try waiting.content.get()
      if let values = try StandardInterfaces.answer(
        content, at: call.path, registryProperties: peer.isRemote ? { [:] } : registryProperties)
      {
        return call.succeed(values)
      }
      let request = Request(content: content, call: call, facts: peer.facts ?? .failure(.notOurs))
      if let reply = try onRequest?(request) { answer(waiting, reply) }
    } catch {
      refuse(call, error)
    }
    forgetUnread(peer)
  }

  private func readAgain() {
    peers.resume {
      $0.line.count <= CallLimits.fewReadAhead
        && $0.line.share.bytes < CallLimits.mostBytesReadAhead
    }
  }

  private func answer(_ waiting: WaitingCall, _ reply: Reply) {
    let call = waiting.call
    switch reply {
    case .values(let values): call.succeed(values)
    case .answering(let values, let work):
      call.succeed(values)
      work()
    case .inTurns(let step):
      beginLargeAnswer(waiting)
      take(step, of: waiting)
    case .later(let work):
      answerLater(waiting) { () async throws(BusError) in
        let values = try await work()
        return { () throws(BusError) in values }
      }
    case .laterInTurns(let work): answerLater(waiting, work)
    case .pending: break
    case .pendingInOrder: block(until: call)
    case .pendingAfter(let work):
      answerLater(waiting) { () async throws(BusError) in
        try await work()
        return nil
      }
    }
  }

  /// Takes the next step of an answer. Further calls of the connection wait until the last step.
  private func take(_ step: @escaping Reply.Step, of waiting: WaitingCall) {
    do throws(BusError) {
      guard let values = try step() else {
        return waiting.peer.hasLeft ? abandon(waiting) : putBack(waiting, step)
      }
      waiting.call.succeed(values)
    } catch {
      refuse(waiting.call, error)
    }
    endLargeAnswer(waiting)
  }

  private func putBack(_ waiting: WaitingCall, _ step: @escaping Reply.Step) {
    waiting.step = step
    queue.putBack(waiting, bytes: waiting.bytes, to: waiting.peer.line)
  }

  private func abandon(_ waiting: WaitingCall) {
    waiting.call.abandon()
    endLargeAnswer(waiting)
  }

  private func beginLargeAnswer(_ waiting: WaitingCall) {
    guard waiting.hasLargeAnswer else { return }
    waiting.largeAnswer = peers.beginLargeAnswer(to: waiting.peer)
  }

  private func endLargeAnswer(_ waiting: WaitingCall) {
    guard let key = waiting.largeAnswer else { return }
    waiting.largeAnswer = nil
    peers.endLargeAnswer(key)
  }

  private func refuse(_ call: PendingCall, _ error: BusError) {
    if error.name == Contract.limitExceeded, let peer = peers[call.sender], !peer.hasLeft {
      queue.block(peer.line)
      DispatchQueue.main.asyncAfter(
        deadline: .now() + .nanoseconds(Int(CallLimits.penalty.nanoseconds))
      ) {
        [weak self] in
        MainActor.assumeIsolated { self?.unblock(peer) }
      }
    }
    call.fail(error)
  }

  /// Does the work, which may suspend, and answers with the steps that it returns, in turns of the caller. If `work`
  /// returns nil, a service sends the reply. Further calls of the connection are blocked until `work` returns.
  private func answerLater(
    _ waiting: WaitingCall, _ work: @escaping () async throws(BusError) -> Reply.Step?
  ) {
    let (call, peer) = (waiting.call, waiting.peer)
    beginLargeAnswer(waiting)
    queue.block(peer.line)
    slow[ObjectIdentifier(call)] = call
    // Immediate: the turn of the call has what is done before the work first waits.
    Task.immediate {
      do throws(BusError) {
        let step = try await work()
        guard !isStopped else { return }
        if let step { putBack(waiting, step) } else { endLargeAnswer(waiting) }
      } catch {
        guard !isStopped else { return }
        refuse(call, error)
        endLargeAnswer(waiting)
      }
      slow[ObjectIdentifier(call)] = nil
      unblock(peer)
    }
  }

  /// Blocks the further calls of the connection until the call is answered.
  private func block(until call: PendingCall) {
    guard !call.isAnswered, let peer = peers[call.sender] else { return }
    queue.block(peer.line)
    call.onEnd = { [weak self] in
      // The reply is sent first.
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.unblock(peer) } }
    }
  }

  private func unblock(_ peer: Peer) {
    queue.unblock(peer.line)
    forgetIfDone(peer)
    answerCalls()
  }

  /// Fails all queued calls and every later call with `error`.
  func stop(_ error: BusError) {
    state = .stopped(error)
    refusals = Refusals()
    for call in slow.values { call.fail(error) }
    slow = [:]
    for peer in peers.all {
      while let waiting = queue.removeFirst(of: peer.line) {
        // The work of a call may be done already.
        if let step = waiting.step, let values = try? step() {
          waiting.call.succeed(values)
        } else {
          waiting.call.fail(error)
        }
      }
    }
    peers = ServedPeers()
  }
}
