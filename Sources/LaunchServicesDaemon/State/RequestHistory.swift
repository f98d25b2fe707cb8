internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import Records

/// Records what becomes of opens, and tells it to those who may know.
final class RequestHistory {
  private let session: BusSession
  private let requests: RequestStore
  private let opens: PendingOpens
  private let settings: RecordSettings
  private let journal: Journal
  private var monitors = Subscribers(limit: 16)
  private var isStopped = false

  /// What is kept of the subject of an open that was refused, in Unicode scalars.
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

  /// What is kept of a URL: the beginning, without its query and fragment unless the settings say otherwise.
  func subject(_ url: String) -> String {
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

  /// In bytes. Of 1,000 requests an answer holds all subjects.
  private static let longestSubject = 4096

  // MARK: Recording

  /// A request that is accepted now.
  func entry(
    _ number: UInt64, _ submission: OpenSubmission, for application: BundleIdentifier
  ) -> RequestEntry {
    RequestEntry(
      number: number, time: RequestClock.now, caller: submission.caller.recordedName,
      origin: submission.caller.origin, name: submission.name, subject: submission.subject,
      fingerprint: submission.fingerprint.value, handler: application.text)
  }

  func recordAcceptance(of open: PendingOpen) {
    guard open.isNamed else { return }
    requests.note(open.entry) { open.isRecorded = $0 }
  }

  /// From now on nobody can say that the request has not arrived.
  /// - Parameter then: called when that is written, at once for a request without a name. It is not called after
  ///   `stop`: the next daemon says what became of the request.
  func recordDelivery(
    of open: PendingOpen, to process: (pid: Int32, startTime: UInt64),
    then: @escaping (_ isRecorded: Bool) -> Void = { _ in }
  ) {
    open.entry.progress = .delivering
    open.entry.pid = process.pid
    open.entry.startTime = process.startTime
    guard open.isNamed else { return then(true) }
    requests.note(open.entry) { [weak self] isRecorded in
      if self?.isStopped == false { then(isRecorded) }
    }
  }

  /// - Parameters:
  ///   - isFinal: nothing will be known better.
  ///   - then: called when it is written, at once for a request without a name.
  func recordFate(
    of open: PendingOpen, _ fate: Result<OpenOutcome, OpenFailure>, isFinal: Bool,
    then: @escaping () -> Void = {}
  ) {
    open.entry.progress = .settled
    open.entry.pid = open.pid
    open.entry.trail = open.trail.map { .init($0.state, at: $0.microseconds) }
    switch fate {
    case .success(let outcome):
      open.entry.launch = outcome.launch.rawValue
      open.entry.fate = outcome.delivery.rawValue
      open.entry.handled = outcome.handled
    case .failure(let failure):
      open.entry.fate = failure.name
      open.entry.detail = open.discreet(failure).text
    }
    requests.note(open.entry) { _ in then() }
    if isFinal { tellMonitors(open.entry) }
  }

  /// It cannot be known whether the request of an earlier daemon arrived: that is its fate from now on.
  func recordUnknown(_ entry: RequestEntry, _ failure: OpenFailure) {
    var entry = entry
    entry.progress = .settled
    entry.fate = failure.name
    entry.detail = failure.text
    requests.note(entry)
    tellMonitors(entry)
  }

  /// Carries out `body`. When it refuses an open, before an application was chosen for it, that is recorded like the
  /// fates of the others, so that the history has every link.
  func recordingRefusal<Result>(
    of subject: String, _ caller: IdentifiedCaller, _ body: () throws(BusError) -> Result
  ) throws(BusError) -> Result {
    do throws(BusError) {
      return try body()
    } catch {
      if let failure = OpenFailure(error), failure.isRecorded { record(failure, subject, caller) }
      throw error
    }
  }

  /// The request is not kept under its `request-id`: asked again, it may succeed.
  private func record(_ failure: OpenFailure, _ subject: String, _ caller: IdentifiedCaller) {
    var entry = RequestEntry(
      number: opens.nextRequest().number, time: RequestClock.now, caller: caller.recordedName,
      origin: caller.origin,
      subject: String(subject.unicodeScalars.prefix(Self.longestRefused)), handler: "",
      progress: .settled)
    entry.fate = failure.name
    // The text of this one repeats the URL with its query.
    let discreet: OpenFailure =
      if case .invalidURL = failure { .invalidURL("it is not a valid URL") } else { failure }
    entry.detail = (settings.keepsFullURLs ? failure : discreet).text
    journal.info(
      "an open was refused", ["reason": discreet.sentence],
      about: ["request": "\(entry.number)", "caller": entry.caller])
    requests.note(entry)
    tellMonitors(entry)
  }

  // MARK: Telling

  /// An application is told of its own requests only.
  func entries(_ options: HistoryOptions, for caller: IdentifiedCaller) async -> [Options] {
    var own: String?
    if case .application(let identifier, _) = caller.caller { own = identifier.text }
    return await requests.recent(
      limit: Int(options.limit), handler: options.application, caller: own, since: options.since
    ).map(describe)
  }

  func addMonitor(_ caller: IdentifiedCaller) throws(BusError) { try monitors.add(caller) }

  func left(_ connection: String) { monitors.remove(connection) }

  func tellMonitors(_ entry: RequestEntry) {
    guard !monitors.isEmpty else { return }
    let arguments: [Value] = [.options(describe(entry))]
    monitors.send("RequestEnded", of: Contract.workspace, arguments) { [session] _ in session }
  }

  private func describe(_ entry: RequestEntry) -> Options {
    var options: Options = [
      Key.request: .uint64(entry.number), Key.time: .uint64(entry.time),
      Key.caller: .string(entry.caller), Key.url: .string(entry.subject),
      Key.fate: .string(fate(of: entry)),
      Key.handled: .boolean(entry.handled), Key.pid: .uint32(UInt32(clamping: entry.pid)),
      Key.trail: .array(
        of: "(st)",
        entry.trail.map { .structure([.string($0.state), .uint64($0.microseconds)]) }),
    ]
    if !entry.handler.isEmpty { options[Key.handler] = .string(entry.handler) }
    if let launch = entry.launch { options[Key.launch] = .string(launch) }
    if let detail = entry.detail { options[Key.detail] = .string(detail) }
    return options
  }

  /// The end of a daemon leaves requests without a fate until somebody asks for it.
  private func fate(of entry: RequestEntry) -> String {
    entry.fate
      ?? (opens[RequestID(entry.number)] == nil ? Fate.cutOff : entry.progress.rawValue)
  }
}

nonisolated extension OpenFailure {
  /// What goes over a limit is too much to be recorded, too.
  fileprivate var isRecorded: Bool {
    switch self {
    case .limitExceeded, .shuttingDown: false
    default: true
    }
  }
}
