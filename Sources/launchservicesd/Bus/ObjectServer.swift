internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Dispatch
internal import Host
internal import LaunchRules

/// Receives the method calls of all connections, and answers them so that no caller waits for the calls of others.
///
/// Callers take turns, whether they call over the bus or directly, and with how many connections. A caller is a
/// process, or a unit that belongs to an application; see `CallerTable.Facts.share`. Calls of one connection take effect in the
/// order in which they came. A caller that does not read its replies gets no more of them.
final class ObjectServer {
  /// A call that is to be answered, and what is known of its caller.
  struct Request {
    let content: IncomingCall
    let call: PendingCall
    let facts: CallerTable.Answer
  }

  /// Answers a call, or takes care that it is answered later. An error that it throws is the answer.
  var onRequest: ((Request) throws(BusError) -> Void)?
  /// Called with the name of a connection that has closed, after its last call is dealt with.
  var onForget: ((String) -> Void)?
  /// Called for each call that is received.
  var onWork: (() -> Void)?
  /// The properties of the registry interface.
  var registryProperties: () -> Options = { [:] }

  private typealias Queue = CallQueue<Waiting>

  private struct Waiting {
    let content: Result<IncomingCall, BusError>
    let call: PendingCall
    let peer: Peer

    /// Nobody needs the answer when the caller has left.
    var isQuestion: Bool { (try? content.get())?.isQuestion ?? true }
  }

  /// A connection that has called.
  private final class Peer {
    let name: String
    let session: BusSession
    let line: Queue.Line
    /// Nil until it is known who the caller is.
    var facts: CallerTable.Answer?
    var hasLeft = false
    var callsWithStreams = 0

    init(_ name: String, _ session: BusSession) {
      self.name = name
      self.session = session
      line = Queue.Line(Queue.Share())
    }

    nonisolated deinit {}
  }

  private let bus: BusSession
  private let callers: CallerTable
  private let limits: WaitingCalls
  private var queue = Queue()
  private var peers: [String: Peer] = [:]
  /// Of the callers that are known.
  private var shares: [String: (share: Queue.Share, peers: [Peer])] = [:]
  /// Calls for which their connections wait.
  private var slow: [ObjectIdentifier: PendingCall] = [:]
  private var refusals = Refusals()
  /// Direct peers that are not read from, because too many of their calls wait.
  private var paused: [Peer] = []
  private var isContinuing = false
  private var stopped: BusError?

  init(_ bus: BusSession, _ callers: CallerTable, _ limits: WaitingCalls) {
    self.bus = bus
    self.callers = callers
    self.limits = limits
  }

  /// Takes the calls of a connection: of the bus, or of one direct peer.
  func serve(_ session: BusSession) {
    session.onCall = { [unowned self, unowned session] in receive($0, on: session) }
    session.onExchange = { [unowned self] in answerCalls() }
  }

  private func receive(_ call: PendingCall, on session: BusSession) {
    if let stopped { return call.fail(stopped) }
    onWork?()
    let peer = peer(call.sender, session)
    guard peer.line.share.count < limits.calls, peer.line.share.bytes < limits.bytes else {
      return refusals.add(call, limits.error, on: session)
    }
    // Calls that wait hold no descriptors but those that they are about: libdbus reads nothing more of anybody when it
    // holds too many.
    let content = Self.read(call)
    let bytes = (try? content.get())?.argumentBytes ?? 0
    if call.holdsDescriptors || bytes > CallLimits.mostKeptBytes || !peer.line.isEmpty {
      call.dropArguments()
    }
    add(Waiting(content: content, call: call, peer: peer), bytes)
    if peer.facts == nil { identify(peer) }
    if session !== bus, isFull(peer), session.reads {
      session.reads = false
      paused.append(peer)
    }
  }

  private static func read(_ call: PendingCall) -> Result<IncomingCall, BusError> {
    do throws(BusError) {
      return .success(try IncomingCall(call))
    } catch {
      return .failure(error)
    }
  }

  private func add(_ waiting: Waiting, _ bytes: Int) {
    var waiting = waiting
    if (try? waiting.content.get())?.bringsStreams ?? false {
      if waiting.peer.callsWithStreams < CallLimits.mostWithStreams {
        waiting.peer.callsWithStreams += 1
      } else {
        waiting = Waiting(
          content: .failure(CallLimits.tooManyStreams), call: waiting.call, peer: waiting.peer)
      }
    }
    queue.add(waiting, bytes: bytes, to: waiting.peer.line)
  }

  private func peer(_ name: String, _ session: BusSession) -> Peer {
    if let peer = peers[name] { return peer }
    let peer = Peer(name, session)
    peers[name] = peer
    return peer
  }

  /// A direct peer waits with more until some of these are answered.
  private func isFull(_ peer: Peer) -> Bool {
    peer.line.count >= CallLimits.mostReadAhead
      || peer.line.share.bytes >= CallLimits.mostBytesReadAhead
  }
}

// MARK: - Who calls

extension ObjectServer {
  /// The calls of the connection wait until it is known who the caller is.
  private func identify(_ peer: Peer) {
    peer.facts = .failure(.notOurs)
    queue.block(peer.line)
    var isAtOnce = true
    callers.withFacts(of: peer.name) { [weak self] facts in
      guard let self else { return }
      peer.facts = facts
      if case .success(let facts) = facts { join(peer, facts.share) }
      if isAtOnce { queue.unblock(peer.line) } else { unblock(peer) }
    }
    isAtOnce = false
  }

  private func join(_ peer: Peer, _ name: String) {
    let entry = shares[name] ?? (Queue.Share(), [])
    queue.move(peer.line, to: entry.share)
    if !peer.hasLeft { shares[name] = (entry.share, entry.peers + [peer]) }
  }

  /// The connection is closed. Of what it asked before, everything takes effect that changes something.
  func left(_ name: String) {
    guard let peer = peers[name] else {
      onForget?(name)
      return
    }
    peer.hasLeft = true
    refusals.remove(name)
    for waiting in queue.removeAll(of: peer.line, where: \.isQuestion) { waiting.call.abandon() }
    for _ in 0..<CallLimits.mostLast where !peer.line.isBlocked {
      guard let waiting = queue.removeFirst(of: peer.line) else { break }
      answer(waiting)
    }
    forgetIfDone(peer)
    answerCalls()
  }

  private func forgetIfDone(_ peer: Peer) {
    guard peer.hasLeft, peer.line.isEmpty, !peer.line.isBlocked, peers[peer.name] === peer
    else { return }
    peers[peer.name] = nil
    onForget?(peer.name)
    paused.removeAll { $0 === peer }
    guard case .success(let facts) = peer.facts, var entry = shares[facts.share] else { return }
    entry.peers.removeAll { $0 === peer }
    shares[facts.share] = entry.peers.isEmpty ? nil : entry
  }
}

// MARK: - Answers

extension ObjectServer {
  /// Answers calls that wait, unless that is due anyway.
  private func answerCalls() {
    if !isContinuing { answerSome() }
  }

  private func answerSome() {
    let end = DispatchTime.now().uptimeNanoseconds + CallLimits.patience
    defer { readAgain() }
    repeat {
      guard stopped == nil, let waiting = queue.next(where: mayAnswer) else { return }
      answer(waiting)
    } while DispatchTime.now().uptimeNanoseconds < end
    guard queue.hasTurns else { return }
    isContinuing = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        self?.isContinuing = false
        self?.answerSome()
      }
    }
  }

  /// False while replies of the caller wait to be read. The next exchange asks again.
  private func mayAnswer(_ waiting: Waiting) -> Bool {
    let session = waiting.peer.session
    if session === bus { return session.unwrittenBytes <= CallLimits.mostUnwrittenToBus }
    guard session.unwrittenBytes <= CallLimits.mostUnwritten else { return false }
    guard case .success(let facts) = waiting.peer.facts, let peers = shares[facts.share]?.peers,
      peers.count > 1
    else { return true }
    return peers.lazy.filter { $0.session !== self.bus }.reduce(0) {
      $0 + $1.session.unwrittenBytes
    }
      <= CallLimits.mostUnwrittenOfCaller
  }

  private func answer(_ waiting: Waiting) {
    let (call, peer) = (waiting.call, waiting.peer)
    defer { forgetIfDone(peer) }
    if (try? waiting.content.get())?.bringsStreams ?? false { peer.callsWithStreams -= 1 }
    if peer.hasLeft || peer.session.peerHasLeft, waiting.isQuestion { return call.abandon() }
    do throws(BusError) {
      let content = try waiting.content.get()
      if let values = try StandardInterfaces.answer(
        content, at: call.path, registryProperties: registryProperties)
      {
        return call.succeed(values)
      }
      try onRequest?(
        Request(content: content, call: call, facts: peer.facts ?? .failure(.notOurs)))
    } catch {
      refuse(call, error)
    }
    // The evidence could not be read; it may be readable for the next call.
    if case .failure(.unread) = peer.facts, peer.line.isEmpty, !peer.hasLeft { peer.facts = nil }
  }

  private func readAgain() {
    guard !paused.isEmpty else { return }
    paused.removeAll { peer in
      guard peer.line.count <= CallLimits.fewReadAhead,
        peer.line.share.bytes < CallLimits.mostBytesReadAhead
      else { return false }
      peer.session.reads = true
      return true
    }
  }

  func refuse(_ call: PendingCall, _ error: BusError) {
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

  /// Answers with the result of `work`, which may suspend. Further calls of the connection wait for that.
  func answerLater(
    _ call: PendingCall, _ work: @escaping () async -> Result<[Value], BusError>
  ) {
    inTurn(call) { [self] in
      let result = await work()
      guard stopped == nil else { return }
      switch result {
      case .success(let values): call.succeed(values)
      case .failure(let error): refuse(call, error)
      }
    }
  }

  /// Does work for a call that may suspend. Further calls of the connection wait for that.
  func inTurn(_ call: PendingCall, _ work: @escaping () async -> Void) {
    let peer = peers[call.sender]
    if let peer { queue.block(peer.line) }
    slow[ObjectIdentifier(call)] = call
    Task {
      await work()
      guard stopped == nil else { return }
      slow[ObjectIdentifier(call)] = nil
      if let peer { unblock(peer) }
    }
  }

  private func unblock(_ peer: Peer) {
    queue.unblock(peer.line)
    forgetIfDone(peer)
    answerCalls()
  }

  /// Fails all calls that wait, and every later one, with `error`.
  func stop(_ error: BusError) {
    stopped = error
    refusals = Refusals()
    paused = []
    for call in slow.values { call.fail(error) }
    slow = [:]
    while let waiting = queue.next(where: { _ in true }) { waiting.call.fail(error) }
    for peer in peers.values {
      while let waiting = queue.removeFirst(of: peer.line) { waiting.call.fail(error) }
    }
    peers = [:]
    shares = [:]
  }
}
