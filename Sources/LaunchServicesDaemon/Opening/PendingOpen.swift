internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import Records

/// An accepted open whose fate is not known yet.
final class PendingOpen {
  /// The object of the open.
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

    /// The URLs; empty for a quick action.
    var urls: [String] {
      switch self {
      case .url(let url), .userActivity(let url): [url]
      case .documents(let list): list.urls.map(\.text)
      case .quickAction, .application: []
      }
    }

    /// A URL has a query or a fragment.
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
    let reply: PendingReply
    let cancellationID: String?
  }

  let payload: Payload
  let application: InstalledApplication
  var options: OpenOptions
  /// `sourceApplication` of the delivery (R5.23).
  let source: BundleIdentifier?
  /// The entry in the record.
  var entry: RequestEntry
  /// The record has the acceptance.
  var isRecorded = false
  /// The open may have been delivered before; the handler is told so.
  let isRepeated: Bool
  /// The round that it begins, when it goes to the desktop bridge.
  var hops = 1
  /// The program that the bridge hands it to may be the one that opened it.
  var mayGoRound = false
  /// The calls that wait for the fate: the first one, and those that repeat the request.
  private(set) var waits: [Wait]
  /// The steps so far.
  private(set) var progress = Progress()
  /// The load while the open is under way.
  let usage: Usage

  struct Progress {
    var pid: Int32 = 0
    var trail: [Receipt.Step] = []
  }

  struct Usage {
    /// The caller that the load counts for.
    let share: String
    /// Those that the caller belongs to; see `IdentifiedCaller.groups`.
    let groups: [String]
    let load: AdmissionRule.Load
  }

  init(
    payload: Payload, handler: InstalledApplication, options: OpenOptions,
    source: BundleIdentifier?, reply: PendingReply, share: String, groups: [String] = [],
    entry: RequestEntry, isRepeated: Bool
  ) {
    self.payload = payload
    application = handler
    self.options = options
    self.source = source
    self.entry = entry
    self.isRepeated = isRepeated
    waits = [Wait(reply: reply, cancellationID: options.cancellationID)]
    usage = Usage(share: share, groups: groups, load: Self.load(of: payload, options))
  }

  /// The open as the rules see it.
  var request: OpenRequest {
    OpenRequest(
      RequestID(entry.number), payload.kind, activates: options.activate,
      mayHaveArrived: isRepeated)
  }

  var handler: BundleIdentifier { application.identifier }

  var pid: Int32 { progress.pid }

  var trail: [Receipt.Step] { progress.trail }

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

  /// Records a step.
  func record(_ state: String, pid: Int32? = nil) {
    progress.trail.append(.init(state, at: Time.monotonicMicroseconds()))
    if let pid { progress.pid = pid }
  }

  /// The open was delivered, or is being delivered.
  var wasHandedOver: Bool { trail.contains { $0.state == "delivering" } }

  /// The fields of log entries about the open.
  var logSubject: [String: String] {
    [
      "application": handler.text, "request": "\(entry.number)", "caller": entry.caller,
      "handler": handler.text,
    ]
  }

  /// The opener may repeat the request.
  var isNamed: Bool { entry.name != nil }

  var replies: [PendingReply] { waits.map(\.reply) }

  func join(_ wait: Wait) { waits.append(wait) }

  /// - Returns: the replies that were removed.
  func removeWaits(where isOver: (Wait) -> Bool) -> [PendingReply] {
    defer { waits.removeAll(where: isOver) }
    return waits.filter(isOver).map(\.reply)
  }
}
