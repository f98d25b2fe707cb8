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
      throw cancel()
    }
    throw CommandFailure(
      .failed,
      "launchservicesd or its connection ended before the answer, and no other launchservicesd can be reached: it is"
        + " unknown whether the application received the request. When launchservicesd runs again,"
        + " repeat the command with --request-id \(id): the command then reports the result, and"
        + " nothing is delivered twice", error: "DeliveryUnknown")
  }

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
      return try service.call(message(options), try remaining(until: end))
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
    let most = ReconnectPolicy.delays.reduce(0, +)
    let wait = min(most, try remaining(until: end).map(Int.init) ?? most)
    output.complain(
      "\(cause); waiting at most "
        + "\(max(1, (wait + 500) / 1000)) s for the next launchservicesd, to ask for the result")
    for milliseconds in ReconnectPolicy.delays {
      pause(min(milliseconds, try remaining(until: end).map(Int.init) ?? milliseconds))
      let remaining = try remaining(until: end)
      do throws(ServiceFailure) {
        return try service.call(message(options), remaining)
      } catch {
        switch error {
        // A bus that has ended may be started again, as a daemon.
        case .notRunning, .noSessionBus, .turnedAway, .ended, .cutOff: continue
        case .refused, .timedOut: guard error.hasLostDaemon else { throw error }
        }
      }
    }
    return nil
  }

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
          .failed, "the time given with --timeout is over: \(error.text)", error: "Cancelled")
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
