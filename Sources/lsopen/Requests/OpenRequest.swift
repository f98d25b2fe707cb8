internal import BusContract
internal import Commands
internal import DBus

/// Sends an open, repeats it after an end of the daemon, and cancels it after the timeout.
extension OpenCommand {
  /// Opens a single URL, document or application.
  func openOne(
    _ invocation: OpenInvocation, _ asked: Options, _ message: (OpenOptions) -> Message
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
    until end: Instant?, _ options: OpenOptions, _ message: (OpenOptions) -> Message
  ) throws(CommandFailure) -> [Value] {
    if let end, end <= now() {
      throw CommandFailure(
        .failed, "not opened, because the time given with --timeout is over", error: "Cancelled")
    }
    var options = options
    if end != nil { options.cancellationID = Self.cancellationID }
    let id = options.requestID ?? newRequestID()
    options.requestID = id
    do throws(ServiceFailure) {
      if let values = try asking(options, message, until: end) { return values }
    } catch {
      guard error == .timedOut else { throw CommandFailure(error) }
      if isRemote { return try giveUp(id) }
      throw cancel()
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
    _ options: OpenOptions, _ message: (OpenOptions) -> Message, until end: Instant?
  ) throws(ServiceFailure) -> [Value]? {
    var options = options
    let cause: String
    do throws(ServiceFailure) {
      return try send(options, message, until: end)
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
        case .notRunning, .noSessionBus, .turnedAway, .remoteUnreachable, .ended, .cutOff: continue
        case .refused, .timedOut: guard error.hasLostDaemon else { throw error }
        }
      }
    }
    return nil
  }

  /// Sends the open once. On another machine, the open expires with the deadline, so that it does not happen later when
  /// the connection breaks.
  private func send(
    _ options: OpenOptions, _ message: (OpenOptions) -> Message, until end: Instant?
  ) throws(ServiceFailure) -> [Value] {
    var options = options
    let rest = try remaining(until: end)
    if isRemote { options.validFor = rest.map(UInt32.init) }
    return try service.call(message(options), rest)
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
      throw unknown(CommandFailure(error).reason)
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
    let digits = (0..<2).map { _ in
      let half = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - half.count) + half
    }
    return "lsopen-" + digits.joined()
  }

  /// A constant, because this process has only one open at a time.
  private static let cancellationID = "lsopen"

  private func cancel() -> CommandFailure {
    do throws(ServiceFailure) {
      let answer = try service.call(Contract.cancelOpen(Self.cancellationID), 2000)
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
