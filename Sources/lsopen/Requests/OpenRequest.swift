internal import BusContract
internal import Commands
internal import DBus

/// An open that is sent, or was sent, and the call that waits for its reply.
struct SentOpen {
  /// With the identifiers of the request and of its cancellation.
  var options: OpenOptions
  let message: (OpenOptions) -> Message
  /// Nil for an open that was not sent.
  var call: Service.BegunCall?

  init(_ options: OpenOptions, _ message: @escaping (OpenOptions) -> Message) {
    (self.options, self.message) = (options, message)
  }
}

/// Sends an open, repeats it after an end of the daemon, and cancels it after the timeout.
extension OpenCommand {
  /// Opens a single URL, document or application.
  func openOne(
    _ invocation: OpenInvocation, _ asked: Options, _ message: @escaping (OpenOptions) -> Message
  ) throws(CommandFailure) {
    var opens = try Opens(invocation, self)
    do throws(CommandFailure) {
      let receipt = try opens.send(message)
      if invocation.json { output.print(JSON.text(receipt)) }
    } catch {
      if invocation.json { print(error, asked) }
      throw error
    }
    try opens.waitForExits()
  }

  /// The reply to an open, or its failure. An open that exceeds the timeout is cancelled, so that it does not
  /// happen after it was reported as failed.
  /// - Parameter end: deadline for all opens of the command; nil without limit.
  func answer(
    until end: Instant?, _ options: OpenOptions, _ message: @escaping (OpenOptions) -> Message
  ) throws(CommandFailure) -> [Value] {
    if let end, end <= now() {
      throw CommandFailure(
        .failed, "not opened, because the time given with --timeout is over", error: "Cancelled")
    }
    return try answer(until: end, to: SentOpen(identified(options, until: end), message))
  }

  /// Sends an open, and does not wait for the reply.
  /// - Returns: nil when that is not possible, or the time is over.
  func begin(
    until end: Instant?, _ options: OpenOptions, _ message: @escaping (OpenOptions) -> Message
  ) -> SentOpen? {
    let rest: Int32?
    do throws(ServiceFailure) {
      rest = try remaining(until: end)
    } catch {
      return nil
    }
    var open = SentOpen(identified(options, until: end), message)
    // The identifier of the request is that of no other open of this process.
    if end != nil { open.options.cancellationID = open.options.requestID }
    open.call = service.begin(message(expiring(open.options, in: rest)))
    return open.call == nil ? nil : open
  }

  private func identified(_ options: OpenOptions, until end: Instant?) -> OpenOptions {
    var options = options
    if end != nil { options.cancellationID = Self.cancellationID }
    if options.requestID == nil { options.requestID = newRequestID() }
    return options
  }

  /// The reply to an open, or its failure; see `answer(until:_:_:)`.
  func answer(until end: Instant?, to open: SentOpen) throws(CommandFailure) -> [Value] {
    let id = open.options.requestID ?? ""
    do throws(ServiceFailure) {
      if let values = try asking(open, until: end) { return values }
    } catch {
      guard error == .timedOut else { throw CommandFailure(error) }
      if isRemote { return try giveUp(id) }
      throw cancel(open.options.cancellationID ?? Self.cancellationID)
    }
    if isRemote {
      throw CommandFailure(
        .failed,
        "the connection to the other machine was lost before the answer, and did not come back: it is unknown"
          + " whether the application received the request. When the connection is back, repeat the command"
          + " with --request-id \(id): the command then reports the result, and nothing is delivered twice",
        error: "DeliveryUnknown")
    }
    throw CommandFailure(
      .failed,
      "launchservicesd or its connection ended before the answer, and no other launchservicesd can be reached: it is"
        + " unknown whether the application received the request. When launchservicesd runs again,"
        + " repeat the command with --request-id \(id): the command then reports the result, and"
        + " nothing is delivered twice", error: "DeliveryUnknown")
  }

  private var isRemote: Bool { service.remotePath() != nil }

  /// Sends the open, and repeats it when the daemon or the connection ends before the reply. The request has an identifier, so
  /// the next daemon returns the result and delivers nothing twice.
  /// - Parameter end: deadline for all attempts; nil without limit.
  /// - Returns: nil when no other daemon has answered.
  private func asking(
    _ open: SentOpen, until end: Instant?
  ) throws(ServiceFailure) -> [Value]? {
    var options = open.options
    let message = open.message
    let cause: String
    do throws(ServiceFailure) {
      return try firstAnswer(to: open, until: end)
    } catch {
      guard error.hasLostDaemon else { throw error }
      cause =
        if case .cutOff = error {
          "the session bus closed the connection before launchservicesd answered"
        } else {
          "launchservicesd ended before it answered"
        }
    }
    options.isRepeated = true
    let delays = isRemote ? ReconnectPolicy.remoteDelays : ReconnectPolicy.delays
    let most = delays.reduce(0, +)
    let wait = min(most, try remaining(until: end).map(Int.init) ?? most)
    let seconds = max(1, (wait + 500) / 1000)
    output.complain(
      isRemote
        ? "the connection to the other machine was lost before the answer; waiting at most \(seconds) s for"
          + " the connection, to ask for the result"
        : "\(cause); waiting at most \(seconds) s for the next launchservicesd, to ask for the result"
    )
    for milliseconds in delays {
      pause(min(milliseconds, try remaining(until: end).map(Int.init) ?? milliseconds))
      do throws(ServiceFailure) {
        return try send(options, message, until: end)
      } catch {
        switch error {
        // A bus that has ended may be started again, as a daemon.
        case .notRunning, .noSessionBus, .turnedAway, .notTheDaemon, .remoteUnreachable,
          .noRemoteSocket, .ended,
          .cutOff:
          continue
        // The limit is one of this attempt. An earlier one may have been delivered.
        case .refused(let refusal) where Contract.shortName(of: refusal) == "LimitExceeded":
          continue
        case .refused, .timedOut: guard error.hasLostDaemon else { throw error }
        }
      }
    }
    return nil
  }

  /// The reply to an open that was sent before or is sent now.
  private func firstAnswer(
    to open: SentOpen, until end: Instant?
  ) throws(ServiceFailure) -> [Value] {
    guard let call = open.call else { return try send(open.options, open.message, until: end) }
    do throws(ServiceFailure) {
      // A reply that has arrived counts also after the deadline.
      return try call.answer(end.map { _ in (try? remaining(until: end)) ?? 1 })
    } catch {
      guard error.isAbsence else { throw error }
      // Nothing has received the open.
      return try send(open.options, open.message, until: end)
    }
  }

  /// Sends the open once.
  private func send(
    _ options: OpenOptions, _ message: (OpenOptions) -> Message, until end: Instant?
  ) throws(ServiceFailure) -> [Value] {
    let rest = try remaining(until: end)
    return try service.call(message(expiring(options, in: rest)), rest)
  }

  /// On another machine, an open expires with the deadline, so that it does not happen later when the connection breaks.
  /// - Parameter rest: the time until the deadline, in milliseconds; nil for none.
  private func expiring(_ options: OpenOptions, in rest: Int32?) -> OpenOptions {
    guard isRemote else { return options }
    var options = options
    options.validFor = rest.map(UInt32.init)
    return options
  }

  /// Cancels an open of another machine after the deadline, and returns its receipt if the open has succeeded. The
  /// connection may be another one than that of the open.
  private func giveUp(_ id: String) throws(CommandFailure) -> [Value] {
    let over = "the time given with --timeout is over"
    func unknown(_ why: String) -> CommandFailure {
      CommandFailure(
        .failed, "\(over), and the result of the open is unknown: \(why)", error: "DeliveryUnknown")
    }
    let fate: Options
    do throws(ServiceFailure) {
      let answer = try service.call(Contract.requestFate(id, isCancelled: true), Self.fatePatience)
      fate = answer.first?.asOptions ?? [:]
    } catch {
      throw unknown(
        "\(CommandFailure.reasonAlone(error)). When the connection is back, repeat the command with"
          + " --request-id \(id): the command then reports the result, and nothing is delivered twice"
      )
    }
    switch fate[Key.state]?.asString.flatMap(RequestFate.State.init) {
    case .settled?:
      if let receipt = fate[RequestFate.receiptKey] { return [receipt] }
      let error = fate[RequestFate.errorKey]?.asString ?? "Failed"
      let text = fate[RequestFate.messageKey]?.asString ?? error
      throw CommandFailure(
        CommandFailure.code(of: error), "\(over): \(text.inCommandTerms)", error: error)
    case .refused?:
      throw CommandFailure(
        .failed, "\(over); nothing was opened: the request had not arrived", error: "Cancelled")
    case .accepted?: throw unknown("it still waits on the other machine")
    case .delivering?: throw unknown("an application on the other machine is receiving it")
    case .unknown?, nil: throw unknown("the other machine does not know the result")
    }
  }

  /// Timeout for the question about the fate of an open, in milliseconds.
  private static let fatePatience: Int32 = 5000

  /// The remaining time in milliseconds, rounded up; nil without limit.
  private func remaining(
    until end: Instant?
  ) throws(ServiceFailure) -> Int32? {
    guard let end else { return nil }
    let rest = (end - now()) / .milliseconds(1)
    guard rest > 0 else { throw .timedOut }
    return Int32(clamping: Int64(rest.rounded(.up)))
  }

  /// An identifier with 128 random bits, which the daemon accepts as unguessable.
  static func randomRequestID() -> String {
    var random = SystemRandomNumberGenerator()
    func digits() -> String {
      let half = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - half.count) + half
    }
    return "lsopen-" + digits() + digits()
  }

  /// A constant, for an open that is the only one of this process at its time.
  private static let cancellationID = "lsopen"

  private func cancel(_ id: String) -> CommandFailure {
    if let process = service.stoppedDaemon() {
      // The daemon receives the call when it goes on.
      _ = try? service.call(Contract.cancelOpen(id), 1)
      return CommandFailure(
        .failed,
        "the time given with --timeout is over, and the result of the open is unknown: launchservicesd"
          + " (process \(process)) is stopped; to resume it: kill -CONT \(process)",
        error: "DeliveryUnknown")
    }
    do throws(ServiceFailure) {
      let answer = try service.call(Contract.cancelOpen(id), 2000)
      let wasGiven = answer.first == .boolean(true)
      if case .failure(let error) = service.lateAnswer() {
        if !wasGiven, error.text.contains(Contract.openGoesOn) {
          return CommandFailure(
            .failed,
            "the time given with --timeout is over; the open continues, because another command"
              + " waits for it",
            error: "DeliveryUnknown")
        }
        return CommandFailure(
          .failed, "the time given with --timeout is over: \(error.text)",
          error: Contract.shortName(of: error))
      }
      return CommandFailure(
        .failed,
        "cancelled, because the time given with --timeout is over"
          + (wasGiven ? "; the application had already received the request" : ""),
        error: "Cancelled")
    } catch {
      let reason =
        if case .refused = error {
          "the open completed at the same moment"
        } else {
          "cancelling failed: \(CommandFailure(error).reason)"
        }
      return CommandFailure(
        .failed,
        "the time given with --timeout is over, and the result of the open is unknown: \(reason)",
        error: "DeliveryUnknown")
    }
  }
}
