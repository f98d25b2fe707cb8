internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import Records

/// An accepted open without a result so far.
final class PendingOpen {
  /// What is opened.
  enum Payload {
    case url(String)
    case documents(DocumentList)
    case quickAction(QuickAction)
    /// No payload: the application itself is opened.
    /// - Parameter isInPlaceOfURL: whether the application is opened without a URL that would have no effect.
    case application(isInPlaceOfURL: Bool = false)
    /// A universal link, by its URL.
    case userActivity(String)

    var length: Int {
      switch self {
      case .url(let url), .userActivity(let url): url.utf8.count
      case .documents(let list): list.urls.reduce(0) { $0 + $1.text.utf8.count }
      case .quickAction(let action): action.type.utf8.count
      case .application: 0
      }
    }

    /// The URLs; empty for a quick action.
    var urls: [String] {
      switch self {
      case .url(let url), .userActivity(let url): [url]
      case .documents(let list): list.urls.map(\.text)
      case .quickAction, .application: []
      }
    }

    /// Whether a URL has a query or a fragment, which may contain secrets.
    var mayHoldSecrets: Bool {
      urls.contains { $0.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } }
    }

    var kind: OpenRequest.Kind {
      switch self {
      case .url, .documents: .url
      case .quickAction: .quickAction
      case .application: .application
      case .userActivity: .userActivity
      }
    }
  }

  /// A call that waits for the result of an open.
  struct Wait {
    let reply: PendingReply
    let cancellationID: String?
  }

  let payload: Payload
  let receiver: Receiver
  private(set) var options: OpenOptions
  /// `sourceApplication` of the delivery (R5.23).
  let source: BundleIdentifier?
  /// The entry in the record.
  private(set) var entry: RequestEntry
  /// Whether the acceptance is written to the record.
  private(set) var isRecorded = false
  /// Whether the open may have been delivered before. The handler receives this flag.
  let isRepeated: Bool
  let passage: BridgePassage
  /// The variables that name the display of the opener, for a process that is started for the open.
  let display: [String: String]
  /// The calls that wait for the result: the first one, and repetitions of the request.
  private(set) var waits: [Wait]
  /// The steps so far.
  private(set) var progress = Progress()
  /// The load while the open is under way.
  let usage: Usage

  /// How a URL came to the desktop bridge.
  struct BridgePassage {
    /// The passes through the desktop bridge, including this open; nil when no scheme can repeat.
    var hops: BridgeHops?
    /// Whether the program that the bridge selects may be the program that opened the URL.
    var canLoop = false
  }

  struct Progress {
    var pid: Int32 = 0
    var trail: [RequestStep] = []
    /// Cancels the open when the time of its option `valid-for` is over.
    var expiry: Deadline?
  }

  struct Usage {
    /// The caller that the load counts for.
    let share: LoadOwner
    /// The groups that the caller belongs to; see `IdentifiedCaller.groups`.
    let groups: [LoadOwner]
    let load: AdmissionRule.Load
  }

  init(
    payload: Payload, receiver: Receiver, options: OpenOptions,
    source: BundleIdentifier?, reply: PendingReply, share: LoadOwner, groups: [LoadOwner] = [],
    entry: RequestEntry, isRepeated: Bool, passage: BridgePassage = BridgePassage(),
    display: [String: String] = [:]
  ) {
    self.payload = payload
    self.receiver = receiver
    self.options = options
    self.source = source
    self.entry = entry
    self.isRepeated = isRepeated
    self.passage = passage
    self.display = display
    waits = [Wait(reply: reply, cancellationID: options.cancellationID)]
    usage = Usage(share: share, groups: groups, load: Self.load(of: payload, options))
  }

  /// The open in the form that the rules use.
  var request: OpenRequest {
    OpenRequest(
      RequestID(entry.number), payload.kind, activates: options.activate,
      mayHaveArrived: isRepeated)
  }

  /// The receiver, where loads are counted and lifecycles are found.
  var handler: BundleIdentifier { receiver.identifier }

  /// The receiver in receipts, the history and the log.
  var handlerName: String { receiver.handlerName }

  var pid: Int32 { progress.pid }

  var trail: [RequestStep] { progress.trail }

  static func load(of payload: Payload, _ options: OpenOptions) -> AdmissionRule.Load {
    AdmissionRule.Load(
      opens: 1, bytes: 1024 + 2 * payload.length + options.byteCount,
      withStreams: options.hasStreams ? 1 : 0)
  }

  // An isolated deinit would check the current thread.
  nonisolated deinit {}

  /// The failure without the words of the handler if the URL may contain secrets, for logs and records: those
  /// words may repeat the query of the URL.
  func discreet(_ failure: OpenFailure) -> OpenFailure {
    payload.mayHoldSecrets ? failure.withoutWords : failure
  }

  /// What the opener and the record are told of an outcome: the application got no URL that it was opened without.
  func outcome(_ outcome: OpenOutcome) -> OpenOutcome {
    guard case .application(isInPlaceOfURL: true) = payload else { return outcome }
    return OpenOutcome(outcome.launch, .withoutURL, handled: false)
  }

  /// Records a step.
  func record(_ state: String, pid: Int32? = nil) {
    progress.trail.append(.init(state, at: Time.monotonicMicroseconds()))
    if let pid { progress.pid = pid }
  }

  /// Called when the acceptance was written, or could not be written, to the record.
  func acceptanceRecorded(_ isRecorded: Bool) { self.isRecorded = isRecorded }

  /// The delivery begins: from now on the request may have arrived.
  func beginDelivery(to process: (pid: Int32, startTime: UInt64)) {
    entry.progress = .delivering
    entry.pid = process.pid
    entry.startTime = process.startTime
  }

  /// Gives the entry in the record its result.
  func settle(_ fate: Result<OpenOutcome, OpenFailure>) {
    entry.progress = .settled
    entry.pid = pid
    entry.trail = trail
    switch fate {
    case .success(let outcome):
      entry.launch = outcome.launch.rawValue
      entry.fate = outcome.delivery.rawValue
      entry.handled = outcome.handled
    case .failure(let failure):
      entry.fate = failure.name
      entry.detail = discreet(failure).text
    }
  }

  /// The options for the process that is started for the open. Streams and activation token can be used for one
  /// process only, and are removed from the open.
  /// - Parameter withToken: false when the token is sent with the delivery.
  func takeOptions(withToken: Bool) -> OpenOptions {
    var taken = options
    if withToken {
      options.activationToken = nil
    } else {
      taken.activationToken = nil
    }
    options.dropStreams()
    return taken
  }

  /// Removes and returns the activation token; nil when the token was used already.
  func takeActivationToken() -> String? {
    defer { options.activationToken = nil }
    return options.activationToken
  }

  /// Whether the delivery of the open has begun, with this daemon or an earlier one.
  var wasHandedOver: Bool { isRepeated || trail.contains { $0.state == "delivering" } }

  /// The fields of log entries about the open.
  var logSubject: [String: String] {
    [
      "application": handlerName, "request": "\(entry.number)", "caller": entry.caller,
      "handler": handlerName,
    ]
  }

  /// Whether the opener may repeat the request.
  var hasRequestID: Bool { entry.name != nil }

  var replies: [PendingReply] { waits.map(\.reply) }

  /// Keeps the deadline that cancels the open.
  func expire(at deadline: Deadline) { progress.expiry = deadline }

  func join(_ wait: Wait) { waits.append(wait) }

  /// - Returns: the replies that were removed.
  func removeWaits(where isOver: (Wait) -> Bool) -> [PendingReply] {
    defer { waits.removeAll(where: isOver) }
    return waits.filter(isOver).map(\.reply)
  }
}
