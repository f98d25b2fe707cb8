package import DBus
internal import Dispatch
internal import Events

/// A connection served by the main queue: calls and signals come in as they arrive, calls go out
/// with a deadline, and nothing ever waits.
///
/// Without a connection nothing comes in, and every call fails with `Disconnected`.
@MainActor package final class BusSession {
  package let connection: Connection?
  /// A method call for us. Dropping it answers `NoReply`.
  package var onCall: ((PendingCall) -> Void)?
  package var onSignal: ((borrowing Message) -> Void)?
  /// The bus is gone. Called once; calls still under way have failed by then.
  package var onDisconnect: (() -> Void)?

  /// It serves no more.
  package private(set) var isStopped = false

  private var watch: DescriptorWatch?
  private var calls = OutgoingCalls()
  private var deadline: (any DispatchSourceTimer)?

  /// What a call gets that is one too many of its caller; nil takes any number.
  package var overflow: (limit: Int, error: BusError)?
  private var waiting = FairQueue()
  private var isDrainDue = false
  private var isTurnAwaited = false

  /// How many messages are read before any call is answered.
  private static let mostRead = 1024
  /// How many messages at once show that more may wait to be read.
  private static let full = 4
  /// How many pieces of messages that are not whole are read before other events get their turn.
  private static let mostPieces = 64
  /// How many calls are answered before more is read and other events get their turn.
  private static let batch = 32
  /// Or for how long, in nanoseconds: some calls take long.
  private static let patience: UInt64 = 2_000_000

  package init(_ connection: Connection?) {
    self.connection = connection
  }

  /// Starts to take messages; set the handlers first.
  package func start() {
    guard let connection else { return }
    // A descriptor of its own: closing the connection cannot pull it from under the watch.
    let descriptor = duplicate(connection.fileDescriptor)
    // Without one nothing would be heard of it.
    if descriptor < 0 { connection.close() }
    watch = DescriptorWatch(closing: descriptor) { [weak self] in
      self?.exchange()
    }
    connection.onUnwritten = { [weak self] in
      MainActor.assumeIsolated { self?.watch?.wait(for: [.reading, .writing]) }
    }
    // Waiting for the bus while connecting may have read calls into libdbus's own queue, where the
    // descriptor no longer announces them.
    drainLater()
  }

  /// Hands over every call that has arrived, without waiting for more. Before the end, so that nobody
  /// is left without an answer.
  package func handOverAll() {
    guard watch != nil, let connection else { return }
    _ = connection.exchangeAvailable()
    var read = 0
    while read < 100_000, let message = connection.nextMessage() {
      read += 1
      take(message, on: connection)
      _ = connection.exchangeAvailable()
    }
    while let call = waiting.next(at: .max) { onCall?(call) }
  }

  /// Hands over the calls that have been read, whose caller has left.
  package func handOverWaiting() {
    while let call = waiting.next(at: .max) { handOver(ofGone: call) }
  }

  private func handOver(ofGone call: PendingCall) {
    call.callerHasLeft = true
    onCall?(call)
  }

  /// Answers no call of this caller for a while: one that goes over a limit again and again would wear
  /// out the bus for everybody. Its calls keep their places.
  package func hold(_ caller: String, for pause: Duration) {
    waiting.hold(caller, until: DispatchTime.now().uptimeNanoseconds + pause.nanoseconds)
  }

  /// Asks for a well-known name, without queueing for it. What comes while this waits is read with the
  /// answer, and the descriptor does not become readable for it.
  package func requestName(_ name: BusName) throws(BusError) -> Connection.NameRequest {
    guard let connection else { throw .disconnected("there is no bus") }
    defer { drainLater() }
    return try connection.requestName(name)
  }

  /// Stops serving. Calls under way fail with `Disconnected`.
  package func stop() {
    guard watch != nil else { return }
    watch = nil
    isStopped = true
    deadline?.cancel()
    connection?.onUnwritten = nil
    for completion in calls.removeAll() { completion(.failure(.disconnected("the bus is gone"))) }
  }

  isolated deinit { stop() }
}

// MARK: - Calls to others

extension BusSession {
  package typealias Completion = @MainActor (Result<[Value], BusError>) -> Void

  /// Sends a call; `completion` is called exactly once.
  /// - Parameter deadline: after this `completion` gets `Timeout`; nil waits without end.
  package func call(
    _ message: borrowing Message, deadline: Duration?, completion: @escaping Completion
  ) {
    guard watch != nil, let connection else {
      return completion(.failure(.disconnected("the bus is gone")))
    }
    let serial = connection.send(message)
    guard serial != 0 else {
      // Not before this returns: who calls has not noted the call yet.
      return DispatchQueue.main.async { completion(.failure(.descriptorsNotTaken)) }
    }
    let expiry = deadline.map { DispatchTime.now().uptimeNanoseconds + $0.nanoseconds }
    if calls.add(serial: serial, expiry: expiry, completion) { armDeadline() }
  }

  /// Sends what has no answer.
  package func send(_ message: borrowing Message) { connection?.send(message) }

  /// Sends a call and suspends until its answer.
  package func call(
    _ message: borrowing Message, deadline: Duration? = .seconds(25)
  ) async throws(BusError) -> [Value] {
    try await withCheckedContinuation { continuation in
      call(message, deadline: deadline) { continuation.resume(returning: $0) }
    }.get()
  }

  private func armDeadline() {
    guard let next = calls.nextExpiry else { return }
    if deadline == nil {
      let timer = DispatchSource.makeTimerSource(queue: .main)
      timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.expireCalls() } }
      timer.schedule(deadline: DispatchTime(uptimeNanoseconds: next))
      timer.activate()
      deadline = timer
    } else {
      deadline?.schedule(deadline: DispatchTime(uptimeNanoseconds: next))
    }
  }

  private func expireCalls() {
    for completion in calls.removeExpired(at: DispatchTime.now().uptimeNanoseconds) {
      completion(.failure(.timedOut))
    }
    armDeadline()
  }
}

// MARK: - Messages from the bus

extension BusSession {
  private func drain() {
    guard watch != nil, let connection else { return }
    var isConnected = connection.exchangeAvailable()
    // Who does not read gets no more answers; when it does, the descriptor can be written.
    if isConnected, connection.isClogged { return }
    var (read, before) = (0, 0)
    var pieces = 0
    repeat {
      before = read
      while read < Self.mostRead, watch != nil, let message = connection.nextMessage() {
        read += 1
        take(message, on: connection)
      }
      guard read < Self.mostRead, isConnected, watch != nil else { break }
      // libdbus reads two kilobytes at a time. What is left would wait behind the answers to what was
      // read, and with it everybody who asked after a caller that floods us.
      if read - before < Self.full {
        // A large message would take a turn of the main queue for each of its pieces.
        guard read == before, pieces < Self.mostPieces, connection.hasUnread else { break }
        pieces += 1
      }
      isConnected = connection.exchangeAvailable()
    } while true
    var answered = 0
    let now = DispatchTime.now().uptimeNanoseconds
    while answered < Self.batch, watch != nil, !connection.isFull,
      let call = waiting.next(at: now)
    {
      answered += 1
      onCall?(call)
      if DispatchTime.now().uptimeNanoseconds - now > Self.patience { break }
    }
    guard watch != nil else { return }
    let turn = waiting.nextTurn(at: now)
    if read == Self.mostRead || turn == now {
      // Else when it can be written.
      if !connection.isFull { drainLater() }
    } else if !isConnected {
      stop()
      onDisconnect?()
    } else if let turn {
      drain(at: turn)
    }
  }

  /// Answers and signals count at once; calls wait for the turn of their caller.
  private func take(_ message: consuming Message, on connection: Connection) {
    switch message.kind {
    case .methodCall:
      let call = PendingCall(message, on: connection)
      if !waiting.add(call, limit: overflow?.limit ?? .max), let overflow {
        call.fail(overflow.error)
      }
    case .signal:
      // What a caller asked before it left comes before that it has left.
      if message.sender == "org.freedesktop.DBus", message.member == "NameOwnerChanged",
        let name = message.arguments().first?.asString
      {
        for call in waiting.takeAll(of: name) { handOver(ofGone: call) }
      }
      onSignal?(message)
    case .methodReturn: calls.remove(message.replySerial)?(.success(message.arguments()))
    case .error:
      let name = message.errorName.flatMap(ErrorName.init) ?? "org.freedesktop.DBus.Error.Failed"
      let text = message.arguments().first?.asString ?? ""
      calls.remove(message.replySerial)?(.failure(BusError(name, text)))
    case nil: break
    }
  }

  private func drainLater() {
    guard !isDrainDue else { return }
    isDrainDue = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        self?.isDrainDue = false
        self?.exchange()
      }
    }
  }

  /// Comes back for callers that have to wait.
  private func drain(at instant: UInt64) {
    guard !isTurnAwaited else { return }
    isTurnAwaited = true
    DispatchQueue.main.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: instant)) {
      [weak self] in
      MainActor.assumeIsolated {
        self?.isTurnAwaited = false
        self?.exchange()
      }
    }
  }

  private func exchange() {
    guard let connection else { return }
    drain()
    if connection.isClogged {
      // It may have sent more, which would wake us again and again.
      watch?.wait(for: .writing)
    } else {
      watch?.wait(for: connection.hasUnwritten ? [.reading, .writing] : .reading)
    }
  }
}
