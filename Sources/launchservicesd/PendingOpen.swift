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

  /// A call that waits for the fate of an open.
  struct Wait {
    let waiter: Waiter
    let cancellationID: String?
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
  /// The calls that wait for its fate: the one that asked first, and those that repeat it meanwhile.
  private(set) var waits: [Wait]
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
    waits = [Wait(waiter: waiter, cancellationID: options.cancellationID)]
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

  var waiters: [Waiter] { waits.map(\.waiter) }

  func join(_ wait: Wait) { waits.append(wait) }

  /// - Returns: those that do not wait any more.
  func removeWaits(where isOver: (Wait) -> Bool) -> [Waiter] {
    defer { waits.removeAll(where: isOver) }
    return waits.filter(isOver).map(\.waiter)
  }
}
