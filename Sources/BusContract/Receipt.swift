package import DBus
package import LaunchRules

/// The answer to an open that succeeded.
package struct Receipt: Hashable, Sendable {
  package var request: UInt64
  /// The handler's bundle identifier.
  package var handler: String
  package var outcome: OpenOutcome
  /// The process of the handler; 0 when unknown.
  package var pid: UInt32
  package var trail: [RequestStep]
  /// Whether this is the receipt of an earlier request with the same identifier.
  package var isRepeated = false

  package init(
    request: UInt64, handler: String, outcome: OpenOutcome, pid: UInt32, trail: [RequestStep],
    isRepeated: Bool = false
  ) {
    self.isRepeated = isRepeated
    self.request = request
    self.handler = handler
    self.outcome = outcome
    self.pid = pid
    self.trail = trail
  }

  package static let description = DictionaryDescription(
    "Receipt",
    [
      .init(Key.request, "t", "The number of the request."),
      .init(
        Key.delivery, "s",
        """
        `delivered`: the application has received it. `handed-over`: a running program, or a second \
        process of the program that forwards it, took it; such a program does not say what it does with it. \
        `vetoed`: a launch method of the application returned false, so nothing was delivered. \
        `without-url`: the application was opened without the URL, which would have had no effect, because the setting \
        `CompletionSemantics` is `invoked`. \
        `unacknowledged`: the program was started with it and runs, and says nothing; or the \
        acknowledgement was not awaited, because the setting `CompletionSemantics` is `invoked`, or because \
        of the option `legacy`. Before `handed-over` and `unacknowledged`, the trail names the way, such as \
        `arguments`, and, for a program that ended with another status than 0 without saying whether it took the URL, \
        the status, such as `exit-status-1`.
        """),
      .init(
        Key.repeated, "b", "True if the receipt is that of an earlier call with the `request-id`."),
      .init(
        Key.handler, "s",
        """
        The identifier of the application, or `device:` and the name of the device. A caller that is an iOS application receives neither \
        this key nor the following keys.
        """),
      .init(
        Key.launch, "s",
        "`cold` if the application was started for the request, `warm` if the application ran."),
      .init(Key.handled, "b", "Whether the application handled the request."),
      .init(Key.pid, "u", "The process of the application; 0 if the process is unknown."),
      trailEntry,
    ])

  /// The receipt of an open that is accepted, for an opener that does not wait for the result.
  package static func acceptance(of request: UInt64) -> Options {
    [
      Key.request: .uint64(request),
      Key.delivery: .string(OpenOutcome.Delivery.unacknowledged.rawValue),
    ]
  }

  static let trailEntry = DictionaryDescription.Entry(
    Key.trail, "a(st)",
    """
    The states of the request, each with its time in microseconds of the monotonic clock. `ended-with-status-1` or \
    `ended-by-signal-6`: the program that was started with the URL failed with this status, or was ended by this \
    signal, within half a minute. `owner-ended`: the running \
    program that took the URL ended within 10 seconds, and may have lost it. `callback-not-forwarded-` and a reason: the \
    browser does not reach the port of the remote that the URL names, because the user has not allowed callbacks \
    (`not-allowed`), no connection of `lsopen ssh` leads to the remote (`not-connected`), another program uses the port \
    (`port-in-use`), 4 ports of the remote are forwarded (`too-many-ports`), or ssh did not forward the port (`failed`). A \
    remote receives only these steps.
    """)

  package var dictionary: Options {
    var options: Options = [
      Key.request: .uint64(request),
      Key.handler: .string(handler),
      Key.launch: .string(outcome.launch.rawValue),
      Key.delivery: .string(outcome.delivery.rawValue),
      Key.handled: .boolean(outcome.handled),
      Key.pid: .uint32(pid),
      Key.trail: .trail(trail),
    ]
    if isRepeated { options[Key.repeated] = .boolean(true) }
    return options
  }

  /// The dictionary for a caller that may not know everything.
  package func dictionary(_ extent: AccessRule.ReceiptExtent) -> Options {
    switch extent {
    case .all: dictionary
    case .outcome:
      dictionary.filter { Self.ofOutcome.contains($0.key) }.merging(callbackSteps) { $1 }
    case .delivery: dictionary.filter { Self.ofDelivery.contains($0.key) }
    }
  }

  /// The steps about the port of a login, which the program on the remote waits for.
  private var callbackSteps: Options {
    let steps = trail.filter { CallbackProblem(step: $0.state) != nil }
    return steps.isEmpty ? [:] : [Key.trail: .trail(steps)]
  }

  private static let ofDelivery: Set = [Key.request, Key.delivery, Key.repeated]
  private static let ofOutcome = ofDelivery.union([Key.handled])

  /// Nil when the dictionary is not a receipt. The dictionary of an iOS caller or a remote does not contain the handler; the
  /// outcome is then that of a running handler, which has handled the URL if it was delivered.
  package init?(_ options: Options) {
    guard let request = options[Key.request]?.asUInt64,
      let delivery = options[Key.delivery]?.asString.flatMap(OpenOutcome.Delivery.init)
    else { return nil }
    var handler = ""
    var outcome = OpenOutcome(.warm, delivery, handled: delivery == .delivered)
    if let handled = options[Key.handled]?.asBoolean, options[Key.handler] == nil {
      outcome = OpenOutcome(.warm, delivery, handled: handled)
    }
    if [Key.handler, Key.launch].contains(where: { options[$0] != nil }) {
      guard let name = options[Key.handler]?.asString,
        let launch = options[Key.launch]?.asString.flatMap(OpenOutcome.Launch.init),
        let handled = options[Key.handled]?.asBoolean
      else { return nil }
      handler = name
      outcome = OpenOutcome(launch, delivery, handled: handled)
    }
    self.init(
      request: request, handler: handler, outcome: outcome,
      pid: options[Key.pid]?.asUInt32 ?? 0, trail: options[Key.trail]?.asTrail ?? [],
      isRepeated: options[Key.repeated]?.asBoolean ?? false)
  }
}

extension Value {
  /// The steps of a request, as receipts and the history contain them.
  package static func trail(_ steps: [RequestStep]) -> Value {
    .array(
      of: .trailStep, steps.map { .structure([.string($0.state), .uint64($0.microseconds)]) })
  }

  /// The steps; invalid elements are left out.
  package var asTrail: [RequestStep] {
    (elements ?? []).compactMap { step in
      guard let parts = step.elements, parts.count == 2, let state = parts[0].asString,
        let time = parts[1].asUInt64
      else { return nil }
      return RequestStep(state, at: time)
    }
  }
}
