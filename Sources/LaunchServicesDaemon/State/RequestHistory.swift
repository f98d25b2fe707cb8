internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import DaemonSettings
internal import FoundationEssentials
internal import Host
internal import LaunchRules
internal import Records

/// Records the results of opens, and reports them to subscribers.
final class RequestHistory {
  private let session: BusSession
  private let requests: RequestStore
  private let opens: PendingOpens
  private let settings: RecordSettings
  private let journal: Journal
  private var subscribers = Subscribers(limit: 128)
  private var isStopped = false

  /// The longest recorded subject of a refused open, in Unicode scalars.
  private static let longestRefused = 1024

  init(
    _ session: BusSession, _ requests: RequestStore, _ opens: PendingOpens,
    _ settings: RecordSettings, _ journal: Journal
  ) {
    self.session = session
    self.requests = requests
    self.opens = opens
    self.settings = settings
    self.journal = journal
  }

  func stop() { isStopped = true }

  /// The recorded part of a URL: the beginning, without password, query and fragment unless a setting keeps them.
  func subject(_ url: String) -> String {
    settings.keepsFullURLs ? beginning(of: url) : Self.withoutPassword(beginning(of: url))
  }

  /// An authority that Foundation cannot parse is left out, because it may contain a password.
  private static func withoutPassword(_ url: String) -> String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return url }
    let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    guard url[start..<end].contains("@") else { return url }
    guard
      var components = URLComponents(string: String(url[..<end]), encodingInvalidCharacters: false)
    else { return url[..<start] + "…" + url[end...] }
    guard components.password != nil else { return url }
    components.password = nil
    return (components.string ?? url[..<start] + "…") + url[end...]
  }

  private func beginning(of url: String) -> String {
    let beginning = url.utf8.prefix(Self.longestSubject)
    if !settings.keepsFullURLs,
      let end = beginning.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") })
    {
      return String(url[..<end])
    }
    var end = beginning.endIndex
    guard end != url.utf8.endIndex else { return url }
    while end.samePosition(in: url.unicodeScalars) == nil { end = url.utf8.index(before: end) }
    return url[..<end] + "…"
  }

  /// In bytes. A reply with 1,000 requests contains all their subjects.
  private static let longestSubject = 4096

  // MARK: Recording

  /// A new entry for an accepted request.
  func entry(
    _ number: UInt64, _ submission: OpenSubmission, for receiver: Receiver
  ) -> RequestEntry {
    RequestEntry(
      number: number, time: RequestClock.now, caller: submission.caller.recordedName,
      origin: submission.caller.origin, name: submission.name, subject: submission.subject,
      fingerprint: submission.fingerprint?.value ?? 0, handler: receiver.handlerName)
  }

  /// The failure of requests that are refused, because their opener has asked for their fate before they arrived.
  nonisolated static let refusedFromNowOn = OpenFailure.cancelled(
    "the opener has given up: it asked what had become of the request before the request arrived")

  /// An entry for a request that has not arrived.
  func newEntry(_ name: RequestName, _ caller: IdentifiedCaller) -> RequestEntry {
    RequestEntry(
      number: opens.nextRequest().number, time: RequestClock.now, caller: caller.recordedName,
      origin: caller.origin, name: name, subject: "", handler: "")
  }

  /// Records that every request of this name is refused from now on.
  /// - Returns: false when this could not be written.
  func recordRefusedFromNowOn(_ entry: RequestEntry) async -> Bool {
    var settled = entry
    settled.progress = .settled
    settled.fate = Self.refusedFromNowOn.name
    settled.detail = Self.refusedFromNowOn.text
    // The first entry reserves the name, also for requests that are looked up at this moment.
    requests.record(entry)
    let isWritten = await withCheckedContinuation { continuation in
      requests.record(settled) { continuation.resume(returning: $0) }
    }
    tellSubscribers(settled)
    return isWritten
  }

  func recordAcceptance(of open: PendingOpen) {
    guard open.hasRequestID else { return }
    requests.record(open.entry) { open.acceptanceRecorded($0) }
  }

  /// Records that the delivery of the request begins. From then on the request may have arrived.
  /// - Parameter then: called when the record is written; immediately for a request without a name. Not
  ///   called after `stop`, when the next daemon reports the result.
  func recordDelivery(
    of open: PendingOpen, to process: (pid: Int32, startTime: UInt64),
    then: @escaping (_ isRecorded: Bool) -> Void = { _ in }
  ) {
    open.beginDelivery(to: process)
    guard open.hasRequestID else { return then(true) }
    requests.record(open.entry) { [weak self] isRecorded in
      if self?.isStopped == false { then(isRecorded) }
    }
  }

  /// - Parameters:
  ///   - isFinal: whether the result is final.
  ///   - then: called when the result is written; immediately for a request without a name.
  func recordFate(
    of open: PendingOpen, _ fate: Result<OpenOutcome, OpenFailure>, isFinal: Bool,
    then: @escaping () -> Void = {}
  ) {
    open.settle(fate)
    requests.record(open.entry) { _ in then() }
    if isFinal { tellSubscribers(open.entry) }
  }

  /// Records what has become known of a settled request. Its opener and the subscribers have its result.
  func recordMore(_ entry: RequestEntry) { requests.record(entry) }

  /// Settles a request of a previous daemon with unknown delivery.
  func recordUnknown(_ entry: RequestEntry, _ failure: OpenFailure) {
    var entry = entry
    entry.progress = .settled
    entry.fate = failure.name
    entry.detail = failure.text
    requests.record(entry)
    tellSubscribers(entry)
  }

  /// Runs `body`, and records an open that `body` refuses, so that the history contains every open.
  /// - Parameter chosen: evaluated after `body`; the application that was chosen before the refusal, nil for none.
  func recordingRefusal<Result>(
    of subject: String, _ caller: IdentifiedCaller,
    chosen: @autoclosure () -> InstalledApplication? = nil, _ body: () throws(BusError) -> Result
  ) throws(BusError) -> Result {
    do throws(BusError) {
      return try body()
    } catch {
      if let failure = OpenFailure(error), failure.isRecorded {
        record(failure, subject, caller, chosen())
      }
      throw error
    }
  }

  /// Records a refused open without its `request-id`, because a repetition may succeed.
  private func record(
    _ failure: OpenFailure, _ subject: String, _ caller: IdentifiedCaller,
    _ chosen: InstalledApplication?
  ) {
    var entry = RequestEntry(
      number: opens.nextRequest().number, time: RequestClock.now, caller: caller.recordedName,
      origin: caller.origin,
      subject: String(subject.unicodeScalars.prefix(Self.longestRefused)),
      handler: chosen?.identifier.text ?? "",
      progress: .settled)
    entry.fate = failure.name
    // The text of this failure contains the query of the URL.
    let discreet: OpenFailure =
      if case .invalidURL = failure { .invalidURL("it is not a valid URL") } else { failure }
    entry.detail = (settings.keepsFullURLs ? failure : discreet).text
    journal.info(
      "an open was refused", ["reason": discreet.sentence],
      about: ["request": "\(entry.number)", "caller": entry.caller])
    requests.record(entry)
    tellSubscribers(entry)
  }

  // MARK: Queries and signals

  /// Applications receive entries of their own requests only, and iOS applications receive them without facts
  /// about the handler.
  func entries(
    _ options: HistoryOptions, for caller: IdentifiedCaller, mayKnowHandler: Bool
  ) async -> [Options] {
    var own: String?
    if case .application(let identifier, _) = caller.caller { own = identifier.text }
    return await requests.recent(
      limit: Int(options.limit), bytes: HistoryOptions.mostBytes,
      handler: mayKnowHandler ? options.application : nil,
      caller: own, since: options.since
    ).map { entry in
      let all = describe(entry)
      return mayKnowHandler ? all : all.filter { !Self.ofHandler.contains($0.key) }
    }
  }

  /// The keys with facts about the handler.
  private static let ofHandler: Set = [
    Key.handler, Key.handled, Key.launch, Key.pid, Key.trail, Key.detail,
  ]

  func addSubscriber(_ caller: IdentifiedCaller) throws(BusError) { try subscribers.add(caller) }

  func left(_ connection: String) { subscribers.remove(connection) }

  func tellSubscribers(_ entry: RequestEntry) {
    guard !subscribers.isEmpty else { return }
    let arguments: [Value] = [.options(describe(entry))]
    subscribers.send("RequestEnded", of: Contract.workspace, arguments) { [session] _ in session }
  }

  private func describe(_ entry: RequestEntry) -> Options {
    var options: Options = [
      Key.request: .uint64(entry.number), Key.time: .uint64(entry.time),
      Key.caller: .string(entry.caller), Key.url: .string(entry.subject),
      Key.fate: .string(fate(of: entry)),
      Key.handled: .boolean(entry.handled), Key.pid: .uint32(UInt32(clamping: entry.pid)),
      Key.trail: .trail(entry.trail),
    ]
    if !entry.handler.isEmpty { options[Key.handler] = .string(entry.handler) }
    if let launch = entry.launch { options[Key.launch] = .string(launch) }
    if let detail = entry.detail { options[Key.detail] = .string(detail) }
    return options
  }

  /// The result in an entry. A request that was pending when its daemon ended has no result until it is
  /// repeated.
  private func fate(of entry: RequestEntry) -> String {
    entry.fate
      ?? (opens[RequestID(entry.number)] == nil ? Fate.cutOff : entry.progress.rawValue)
  }
}

nonisolated extension OpenFailure {
  /// Whether opens with this failure are recorded. Opens that exceed a limit are not.
  fileprivate var isRecorded: Bool {
    switch self {
    case .limitExceeded, .shuttingDown: false
    default: true
    }
  }
}
