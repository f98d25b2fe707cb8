internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// Opens: each argument in turn, each waiting for its fate.
extension OpenCommand {
  /// Returns the code of the first that failed.
  func open(_ operands: [Operand], _ invocation: OpenInvocation) throws(CommandFailure) -> ExitCode
  {
    var invocation = invocation
    if let editor = invocation.editor {
      invocation.options.application = try identifier(of: editor)
    }
    let operands = invocation.readsStandardInput ? [Operand(try readText())] : operands
    var opens = try Opens(invocation, self)
    var first = ExitCode.success
    let hasApplication = invocation.options.application != nil
    let documents = documents(among: operands, hasApplication: hasApplication)
    var areSent = false
    for operand in operands {
      let prefix = operands.count == 1 ? "" : "\(operand.text): "
      var asked: Options = ["url": .string(operand.text)]
      do throws(CommandFailure) {
        let receipt: Options
        switch try target(operand, hasApplication: hasApplication, prefix: prefix) {
        case .url(let url):
          asked["url"] = .string(url)
          if !documents.isEmpty, DocumentURL.isOne(url) {
            if areSent { continue }
            areSent = true
            let code = try open(documents: documents, &opens, json: invocation.json)
            if first == .success { first = code }
            continue
          }
          receipt = try opens.send(prefix: prefix) { Contract.openURL(url, $0) }
        case .application(let path):
          asked["url"] = .string(FilePath.url(path))
          let application = try identifier(at: path, invocation)
          receipt = try opens.send(prefix: prefix) { Contract.openApplication(application, $0) }
        }
        if invocation.json { output.print(JSON.text(receipt.merging(asked) { $1 })) }
      } catch {
        if invocation.json { print(error, asked) }
        // Without the daemon the others fail in the same way, each after a wait.
        if error.code == .serviceUnreachable { throw error }
        output.complain(prefix + error.reason)
        if first == .success { first = error.code }
      }
    }
    do throws(CommandFailure) {
      try opens.waitForExits()
    } catch {
      if first == .success { throw error }
      output.complain(error)
    }
    return first
  }

  /// Starts the designated application, or brings it to the front.
  func openApplication(_ invocation: OpenInvocation) throws(CommandFailure) {
    let application =
      if let editor = invocation.editor {
        try identifier(of: editor)
      } else {
        invocation.options.application ?? ""
      }
    try openOne(invocation, ["application": .string(application)]) {
      var options = $0
      options.application = nil
      return Contract.openApplication(application, options)
    }
  }

  func performQuickAction(
    _ type: String, of application: String, _ invocation: OpenInvocation
  ) throws(CommandFailure) {
    try openOne(
      invocation, ["application": .string(application), "type": .string(type)]
    ) { Contract.performQuickAction(application, type: type, $0) }
  }

  private func openOne(
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

  /// Writes why there is no receipt, as the JSON that stands in its place.
  func print(_ failure: CommandFailure, _ asked: Options) {
    let error: Options = ["error": .string(failure.error), "message": .string(failure.reason)]
    output.print(JSON.text(error.merging(asked) { $1 }))
  }

  /// The answer to one call, or why there is none. An open that takes longer than the timeout is
  /// cancelled, so that it does not happen after it was reported as failed.
  /// - Parameter end: when all opens of the command are to be done; nil for no limit.
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
      "launchservicesd ended before it answered, and no other has taken its place: it is not known whether"
        + " the application was given this. Once launchservicesd runs, the same command with --request-id \(id)"
        + " says what became of it, and delivers nothing twice", error: "DeliveryUnknown")
  }

  /// Asks again when the daemon ends before it has answered. The request has a name, so the next
  /// daemon says what became of it and delivers nothing twice.
  /// - Parameter end: for all attempts together; nil for no limit.
  /// - Returns: nil when no other daemon has answered in its place.
  private func asking(
    _ options: OpenOptions, _ message: (OpenOptions) -> Message, until end: Instant?
  ) throws(ServiceFailure) -> [Value]? {
    var options = options
    do throws(ServiceFailure) {
      return try service.call(message(options), try remaining(until: end))
    } catch {
      guard error.isCutOff else { throw error }
    }
    options.isRepeated = true
    let most = ReconnectPolicy.delays.reduce(0, +)
    let wait = min(most, try remaining(until: end).map(Int.init) ?? most)
    output.complain(
      "launchservicesd ended before it answered; waiting for the next one, at most "
        + "\(max(1, (wait + 500) / 1000)) s, to ask what became of it")
    for milliseconds in ReconnectPolicy.delays {
      pause(min(milliseconds, try remaining(until: end).map(Int.init) ?? milliseconds))
      let remaining = try remaining(until: end)
      do throws(ServiceFailure) {
        return try service.call(message(options), remaining)
      } catch {
        if case .notRunning = error { continue }
        guard error.isCutOff else { throw error }
      }
    }
    return nil
  }

  /// In milliseconds, rounded up; nil for no limit.
  private func remaining(
    until end: Instant?
  ) throws(ServiceFailure) -> Int32? {
    guard let end else { return nil }
    let rest = (end - now()) / .milliseconds(1)
    guard rest > 0 else { throw .timedOut }
    return Int32(clamping: Int64(rest.rounded(.up)))
  }

  /// 128 bits of chance, by which the daemon knows that nobody else can have chosen it.
  static func randomRequestID() -> String {
    var random = SystemRandomNumberGenerator()
    let digits = (0..<2).map { _ in
      let half = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - half.count) + half
    }
    return "lsopen-" + digits.joined()
  }

  /// One open of this process is under way at a time, so that one name is enough.
  private static let cancellationID = "lsopen"

  private func cancel() -> CommandFailure {
    do throws(ServiceFailure) {
      let answer = try service.call(Contract.cancelOpen(Self.cancellationID), 2000)
      let wasGiven = answer.first == .boolean(true)
      return CommandFailure(
        .failed,
        "cancelled, because the time given with --timeout is over"
          + (wasGiven ? "; the application had been given it already" : ""), error: "Cancelled")
    } catch {
      let reason =
        if case .refused = error {
          "its fate was decided at that moment"
        } else {
          "cancelling failed: \(CommandFailure(error).reason)"
        }
      return CommandFailure(
        .failed,
        "the time given with --timeout is over, and what became of it is not known: \(reason)",
        error: "DeliveryUnknown")
    }
  }
}
