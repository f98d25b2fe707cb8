internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import LaunchRules
internal import Records

/// The connections that are told the fate of every request, or what runs.
struct Monitors {
  let most: Int
  private(set) var connections: [String] = []

  init(most: Int) { self.most = most }

  mutating func add(_ connection: String) throws(BusError) {
    guard !connections.contains(connection) else { return }
    guard connections.count < most else {
      throw OpenFailure.limitExceeded(
        "\(most) connections are told of this already, which is the limit"
      ).busError
    }
    connections.append(connection)
  }

  mutating func remove(_ connection: String) { connections.removeAll { $0 == connection } }
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
    try monitors.add(call.sender)
    call.succeed()
  }

  /// Sent to each by its name, so that nobody else on the bus reads it.
  func tellMonitors(_ entry: RequestEntry) {
    guard !monitors.connections.isEmpty else { return }
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
