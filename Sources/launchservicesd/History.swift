internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import LaunchRules
internal import Records

/// The connections that are told the fate of every request, or what runs.
struct Monitors {
  let most: Int
  private var places: [(connection: String, share: String)] = []

  init(most: Int) { self.most = most }

  var connections: [String] { places.map(\.connection) }
  var isEmpty: Bool { places.isEmpty }

  /// - Parameter share: whose share of the places it takes.
  mutating func add(_ connection: String, of share: String) throws(BusError) {
    guard !places.contains(where: { $0.connection == connection }) else { return }
    let refusal = WatchAdmission.refusal(
      ofCaller: places.count { $0.share == share }, all: places.count, most: most)
    if let refusal { throw refusal.busError }
    places.append((connection, share))
  }

  mutating func remove(_ connection: String) { places.removeAll { $0.connection == connection } }
}

// What became of requests, for those who may know.

extension Daemon {
  func history(_ options: HistoryOptions, _ caller: Caller) async -> [Options] {
    var own: String?
    if case .application(let identifier, _) = caller { own = identifier.text }
    return await requests.recent(
      limit: Int(options.limit), handler: options.application, caller: own, since: options.since
    ).map(describe)
  }

  func monitor(_ caller: Caller, _ call: PendingCall) throws(BusError) {
    if case .application(let identifier, _) = caller {
      throw OpenFailure.notPermitted(
        "\(identifier) is an application, and what others open is not its business"
      ).busError
    }
    try monitors.add(call.sender, of: share(of: caller, on: call.sender))
    call.succeed()
  }

  /// Sent to each by its name, so that nobody else on the bus reads it.
  func tellMonitors(_ entry: RequestEntry) {
    guard !monitors.isEmpty else { return }
    let arguments: [Value] = [.options(describe(entry))]
    for connection in monitors.connections {
      guard let name = BusName(connection) else { continue }
      session.send(
        .signal(
          path: Contract.objectPath, interface: Contract.workspace, member: "RequestEnded",
          arguments, to: name))
    }
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
