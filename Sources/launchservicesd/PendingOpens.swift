internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import Records

/// An accepted open whose fate is not known yet.
final class PendingOpen {
  /// What is handed over.
  enum Payload {
    case url(String)
    case documents(DocumentList)
    case quickAction(QuickAction)
    /// Nothing: the application itself is opened.
    case application
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

    /// What is opened; empty for a quick action.
    var urls: [String] {
      switch self {
      case .url(let url), .userActivity(let url): [url]
      case .documents(let list): list.urls.map(\.text)
      case .quickAction, .application: []
      }
    }

    /// It has a query or a fragment.
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

  let payload: Payload
  let handler: BundleIdentifier
  /// The handler stands for an application of the desktop.
  let isForDesktopBridge: Bool
  var options: OpenOptions
  /// `sourceApplication` of the delivery (R5.23).
  let source: BundleIdentifier?
  let waiter: Waiter
  /// How it is recorded.
  var entry: RequestEntry
  /// The next daemon knows that it was accepted.
  var isRecorded = false
  /// It may have been delivered before; the handler is told so.
  let isRepeated: Bool
  /// The round that it begins, when it goes to the desktop bridge.
  var hops = 1
  /// Set when the user must confirm it.
  var unconfirmed: OpenRequest?
  /// Calls that repeat it while it is under way.
  var joined: [Waiter] = []
  var pid: Int32 = 0
  var trail: [Receipt.Step] = []
  /// What it takes while it waits.
  let load: AdmissionRule.Load
  /// Whose share of what is limited it takes.
  let share: String

  init(
    payload: Payload, handler: InstalledApplication, options: OpenOptions,
    source: BundleIdentifier?, waiter: Waiter, share: String, entry: RequestEntry,
    isRepeated: Bool
  ) {
    self.payload = payload
    self.handler = handler.identifier
    isForDesktopBridge = handler.declaration.isDesktopBridge
    self.options = options
    self.source = source
    self.waiter = waiter
    self.entry = entry
    self.isRepeated = isRepeated
    self.share = share
    load = Self.load(of: payload, options)
  }

  static func load(of payload: Payload, _ options: OpenOptions) -> AdmissionRule.Load {
    AdmissionRule.Load(
      opens: 1, bytes: 1024 + 2 * payload.length + options.byteCount,
      withStreams: options.hasStreams ? 1 : 0)
  }

  // Isolated ones ask which thread they are on.
  nonisolated deinit {}

  /// The failure as it may be logged and recorded: a handler may have repeated the URL's query.
  func discreet(_ failure: OpenFailure) -> OpenFailure {
    payload.mayHoldSecrets ? failure.withoutWords : failure
  }

  /// It has come so far now.
  func note(_ state: String, pid: Int32? = nil) {
    trail.append(.init(state, at: Time.monotonicMicroseconds()))
    if let pid { self.pid = pid }
  }

  /// An application has been given it, or is about to be.
  var wasHandedOver: Bool { trail.contains { $0.state == "delivering" } }

  /// What the log finds lines about it by.
  var logSubject: [String: String] {
    [
      "application": handler.text, "request": "\(entry.number)", "caller": entry.caller,
      "handler": handler.text,
    ]
  }

  /// Its opener may ask for it again.
  var isNamed: Bool { entry.name != nil }

  /// Everybody who waits for its fate.
  var waiters: [Waiter] { [waiter] + joined }
}

/// All opens whose fate is not known yet.
final class PendingOpens {
  private var opens: [RequestID: PendingOpen] = [:]
  private var byCancellation: [Name: [RequestID]] = [:]
  private var byRequestID: [RequestName: RequestID] = [:]
  /// Those whose descriptors are held for a process to be.
  private var withStreams: Set<RequestID> = []
  private let loads = OpenLoads()
  private var lastRequest: UInt64
  private var reserved: UInt64
  /// Makes sure that the next daemon begins with a greater number.
  private let reserve: (UInt64) -> Void

  /// - Parameter last: no daemon before this one has given out a greater number.
  init(after last: UInt64, reserve: @escaping (UInt64) -> Void) {
    lastRequest = last
    reserved = last
    self.reserve = reserve
  }

  /// What a caller calls one of its opens, or whom they are for.
  private struct Name: Hashable {
    var caller: String
    var id: String
  }

  func nextRequest() -> RequestID {
    lastRequest += 1
    if lastRequest > reserved {
      reserved = lastRequest + 999
      reserve(reserved)
    }
    return RequestID(lastRequest)
  }

  subscript(_ id: RequestID) -> PendingOpen? { opens[id] }

  func add(_ id: RequestID, _ open: PendingOpen) {
    opens[id] = open
    if let cancellation = cancellation(of: open) {
      byCancellation[cancellation, default: []].append(id)
    }
    if let repetition = repetition(of: open) { byRequestID[repetition] = id }
    if open.options.hasStreams { withStreams.insert(id) }
    loads.add(open.load, of: open.share, for: open.handler)
    open.note("resolved")
  }

  func note(_ id: RequestID, _ state: String, pid: Int32? = nil) {
    opens[id]?.note(state, pid: pid)
  }

  /// Takes it out, to be answered.
  func settle(_ id: RequestID) -> PendingOpen? {
    guard let open = opens.removeValue(forKey: id) else { return nil }
    if let cancellation = cancellation(of: open) {
      byCancellation[cancellation]?.removeAll { $0 == id }
      if byCancellation[cancellation]?.isEmpty == true { byCancellation[cancellation] = nil }
    }
    if let repetition = repetition(of: open) { byRequestID[repetition] = nil }
    letGoOfStreams(id, open)
    loads.remove(
      AdmissionRule.Load(opens: open.load.opens, bytes: open.load.bytes), of: open.share,
      for: open.handler)
    return open
  }

  private func letGoOfStreams(_ id: RequestID, _ open: PendingOpen) {
    guard withStreams.remove(id) != nil else { return }
    loads.remove(
      AdmissionRule.Load(withStreams: open.load.withStreams), of: open.share, for: open.handler)
  }

  /// What is under way when this caller asks for one more.
  func underWay(of share: String, for handler: BundleIdentifier) -> AdmissionRule.UnderWay {
    loads.underWay(of: share, for: handler)
  }

  /// The options for the process that is started for it. Streams and activation token are good for
  /// one process, and are gone from here afterwards.
  /// - Parameter withToken: False when the token goes with the delivery instead.
  func takeForLaunch(_ id: RequestID, withToken: Bool) -> OpenOptions? {
    guard let open = opens[id] else { return nil }
    var options = open.options
    if withToken {
      opens[id]?.options.activationToken = nil
    } else {
      options.activationToken = nil
    }
    opens[id]?.options.dropStreams()
    letGoOfStreams(id, open)
    return options
  }

  /// The activation token for its delivery, once, and not when a process was started with it.
  func takeActivationToken(_ id: RequestID) -> String? {
    guard let token = opens[id]?.options.activationToken else { return nil }
    opens[id]?.options.activationToken = nil
    return token
  }

  func find(sender: String, cancellationID: String) -> [RequestID] {
    byCancellation[Name(caller: sender, id: cancellationID)] ?? []
  }

  /// The one that has this name.
  func find(_ name: RequestName) -> RequestID? { byRequestID[name] }

  /// The parts of a call that has this name.
  func parts(of call: RequestName) -> [RequestEntry] {
    byRequestID.compactMap { name, id in name.isPart(of: call) ? opens[id]?.entry : nil }
  }

  /// - Returns: false when too many wait for its fate.
  func join(_ id: RequestID, _ waiter: Waiter) -> Bool {
    guard let open = opens[id], open.joined.count < Self.mostJoined else { return false }
    open.joined.append(waiter)
    return true
  }

  /// Calls that may repeat one request while it is under way.
  static let mostJoined = 16

  func settleAll() -> [PendingOpen] {
    opens.keys.sorted().compactMap(settle)
  }

  private func repetition(of open: PendingOpen) -> RequestName? {
    open.entry.name
  }

  private func cancellation(of open: PendingOpen) -> Name? {
    open.options.cancellationID.map { Name(caller: open.waiter.sender, id: $0) }
  }
}
