package import DBus
internal import Dispatch
internal import Events

/// A connection that the main queue serves: receives calls and signals, and sends calls with a deadline. Never blocks.
///
/// Without a connection no call arrives, and every outgoing call fails with `Disconnected`.
@MainActor package final class BusSession {
  package let connection: Connection?
  /// Receives each method call as it is read. Releasing the call without a reply answers `NoReply`.
  package var onCall: ((PendingCall) -> Void)?
  package var onSignal: ((borrowing Message) -> Void)?
  /// Called after messages were read or written.
  package var onExchange: (() -> Void)?
  /// Called once when the connection is lost, after all pending calls have failed.
  package var onDisconnect: (() -> Void)?

  /// Whether `stop` was called or the connection was lost.
  package private(set) var isStopped = false
  /// Whether messages are read. False makes a peer wait that sends calls and does not read the answers. The end of the
  /// peer is noticed after the next change to true.
  package var reads = true { didSet { readingChanged(from: oldValue && !isPaused) } }
  /// Called with the size in bytes of each method call that was read, and with 0 for each piece of the authentication. Returns
  /// the time for which nothing more is read, so that a peer which sends without end has to wait; nil to go on.
  package var pace: ((Int) -> Duration?)?
  /// Maximum size of the values of a reply, in bytes; a call with a larger reply fails with `replyTooLarge`, and the text of
  /// an error is cut. Nil for no limit.
  package var mostReplyBytes: Int?
  private var isPaused = false { didSet { readingChanged(from: reads && !oldValue) } }
  private var isReading: Bool { reads && !isPaused }
  /// When messages were last read or written, in monotonic nanoseconds.
  package private(set) var lastExchange: UInt64 = 0

  /// After the end: whether this process closed the connection because a message was invalid or too large.
  package private(set) var wasClosedHere = false

  /// Whether the peer has closed the connection while reading was off. libdbus notices this only when it reads.
  package private(set) var peerHasLeft = false
  private var isServing = false
  /// A second descriptor of the connection, which the watch owns.
  private var descriptor: Int32 = -1
  /// Nil also after the peer has closed the connection while reading was off, which epoll would report without end.
  private var watch: DescriptorWatch?
  private var calls = OutgoingCalls()
  private var deadline: (any DispatchSourceTimer)?

  private var isExchangeDue = false

  /// The number of messages that are read before other events get their turn.
  private static let mostRead = 1024
  /// The number of messages in one read that shows that more may wait to be read.
  private static let full = 4
  /// The number of pieces of an incomplete message that are read before other events get their turn.
  private static let mostPieces = 64

  package init(_ connection: Connection?) {
    self.connection = connection
  }

  /// Starts to receive messages; set the handlers first.
  package func start() {
    guard let connection else { return }
    isServing = true
    lastExchange = DispatchTime.now().uptimeNanoseconds
    // A duplicate, so that the watched descriptor stays valid when libdbus closes the connection.
    descriptor = duplicate(connection.fileDescriptor)
    // Without a descriptor no message would be noticed.
    if descriptor < 0 { connection.close() }
    watch = DescriptorWatch(closing: descriptor) { [weak self] in
      self?.exchange()
    }
    connection.onUnwritten = { [weak self] in
      MainActor.assumeIsolated { self?.waitForDescriptor() }
    }
    // Waiting for the bus while connecting may have read calls into libdbus's own queue, where the
    // descriptor no longer announces them.
    exchangeLater()
  }

  /// Reads all messages that have arrived, without waiting for more.
  package func readAll() {
    guard isServing, let connection else { return }
    _ = connection.exchangeAvailable()
    var read = 0
    while read < 100_000, isServing, let message = connection.nextMessage() {
      read += 1
      take(message, on: connection)
      _ = connection.exchangeAvailable()
    }
  }

  /// Whether all calls on this connection have replies, and all replies are written.
  package var isIdle: Bool {
    calls.isEmpty && connection.map { $0.unansweredCalls == 0 && $0.unwrittenBytes == 0 } ?? true
  }

  /// The bytes that wait until the peer, or the bus, reads them; 0 when the connection is closed.
  package var unwrittenBytes: Int {
    guard !peerHasLeft, let connection, connection.isConnected else { return 0 }
    return connection.unwrittenBytes
  }

  /// Requests a well-known name without waiting in its queue. Blocks for the reply; messages that arrive meanwhile are
  /// read with the reply, and the descriptor does not become readable for them.
  package func requestName(_ name: BusName) throws(BusError) -> Connection.NameRequest {
    guard let connection else { throw .disconnected("there is no bus") }
    defer { exchangeLater() }
    return try connection.requestName(name)
  }

  /// Stops serving. Pending calls fail with `Disconnected`.
  package func stop() {
    guard isServing else { return }
    isServing = false
    watch = nil
    isStopped = true
    deadline?.cancel()
    connection?.onUnwritten = nil
    for completion in calls.removeAll() {
      completion(.failure(.disconnected("the connection to the bus is closed")))
    }
  }

  isolated deinit { stop() }
}

// MARK: - Calls to others

extension BusSession {
  package typealias Completion = @MainActor (Result<[Value], BusError>) -> Void

  /// Sends a call; `completion` is called exactly once.
  /// - Parameter deadline: the time after which `completion` receives `Timeout`; nil for no timeout.
  package func call(
    _ message: borrowing Message, deadline: Duration?, completion: @escaping Completion
  ) {
    guard isServing, let connection else {
      return completion(.failure(.disconnected("the connection to the bus is closed")))
    }
    let serial = connection.send(message)
    guard serial != 0 else {
      // After this method returns: the caller has not recorded the call yet.
      return DispatchQueue.main.async { completion(.failure(.descriptorsNotTaken)) }
    }
    let expiry = deadline.map { DispatchTime.now().uptimeNanoseconds + $0.nanoseconds }
    if calls.add(serial: serial, expiry: expiry, completion) { armDeadline() }
  }

  /// Sends a message that has no reply.
  package func send(_ message: borrowing Message) { connection?.send(message) }

  /// Sends a call and suspends until its reply.
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
  private func read(_ connection: Connection) {
    if let pace, !connection.isAuthenticated, let wait = pace(0) { pause(for: wait) }
    var isConnected = connection.exchangeAvailable()
    var (count, before) = (0, 0)
    var pieces = 0
    repeat {
      before = count
      while count < Self.mostRead, isReading, isServing, let message = connection.nextMessage() {
        count += 1
        take(message, on: connection)
      }
      guard count < Self.mostRead, isReading, isConnected, isServing else { break }
      // libdbus reads two kilobytes at a time. The calls of other connections of the bus may follow the unread bytes.
      if count - before < Self.full {
        // Otherwise a large message would need one turn of the main queue for each piece.
        guard count == before, pieces < Self.mostPieces, connection.hasUnread else { break }
        pieces += 1
      }
      isConnected = connection.exchangeAvailable()
    } while true
    guard isServing, isReading else { return }
    if count == Self.mostRead {
      exchangeLater()
    } else if !isConnected {
      wasClosedHere = watch != nil && !hasEnded(descriptor)
      stop()
      onDisconnect?()
    } else if watch == nil {
      exchangeLater()
    }
  }

  private func take(_ message: consuming Message, on connection: Connection) {
    switch message.kind {
    case .methodCall:
      if let wait = pace?(message.size) { pause(for: wait) }
      onCall?(PendingCall(message, on: connection))
    case .signal: onSignal?(message)
    case .methodReturn, .error:
      // A reply that nobody awaits is not decoded.
      guard let completion = calls.remove(message.replySerial) else { return }
      let result = message.result(atMost: mostReplyBytes)
      // Released first, so that a large reply is in memory for no longer than it takes to read its start.
      _ = consume message
      completion(result)
    case nil: break
    }
  }

  private func readingChanged(from wasReading: Bool) {
    guard isServing, isReading != wasReading else { return }
    if isReading { exchangeLater() } else { waitForDescriptor() }
  }

  private func pause(for time: Duration) {
    guard !isPaused else { return }
    isPaused = true
    DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(Int(time.nanoseconds))) {
      [weak self] in
      MainActor.assumeIsolated { self?.isPaused = false }
    }
  }

  private func exchangeLater() {
    guard !isExchangeDue else { return }
    isExchangeDue = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        self?.isExchangeDue = false
        self?.exchange()
      }
    }
  }

  private func exchange() {
    guard isServing, let connection else { return }
    lastExchange = DispatchTime.now().uptimeNanoseconds
    if isReading {
      read(connection)
    } else {
      connection.writeAvailable()
      if connection.hasHungUp || !connection.isConnected {
        peerHasLeft = true
        watch = nil
      }
    }
    waitForDescriptor()
    onExchange?()
  }

  private func waitForDescriptor() {
    guard let connection else { return }
    var interest: DescriptorWatch.Interest = isReading ? .reading : []
    if connection.hasUnwritten { interest.insert(.writing) }
    watch?.wait(for: interest)
  }
}
