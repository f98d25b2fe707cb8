internal import BusContract
internal import Commands
internal import DBus
internal import Glibc

/// One process of a flood. It says on standard output when it is under way, and ends after a minute and a
/// half if nobody ends it before.
@MainActor
struct Flooder {
  private let kind: Flood.Kind
  private let transport: Flood.Transport
  private let connections: Int

  /// - Parameter description: `KIND/TRANSPORT/CONNECTIONS`.
  init(_ description: String) throws(CommandFailure) {
    let parts = description.split(separator: "/").map(String.init)
    guard parts.count == 3, let kind = Flood.Kind(rawValue: parts[0]),
      let transport = Flood.Transport(rawValue: parts[1]), let connections = Int(parts[2])
    else { throw .usage("there is no flood \(description)") }
    self.kind = kind
    self.transport = transport
    self.connections = connections
  }

  func run() {
    // Also when who started it cannot end it any more.
    alarm(90)
    raiseDescriptorLimit()
    switch kind {
    case .spin:
      say("")
      while true {}
    case .unreadIntrospect:
      floodUnread(most: 500) {
        .call(
          to: Contract.busName, path: Contract.objectPath,
          interface: Contract.introspectable.name, member: "Introspect")
      }
    case .unreadQuestions:
      let query = QueryOptions(actAs: BenchWorld.application)
      floodUnread(most: 20_000) { Contract.canOpenURL("lsbench:x", query) }
    case .hungOpens: floodOpens(BenchWorld.hungURL, atOnce: 500)
    case .largeURLs:
      let url = BenchWorld.hungURL
      floodOpens(url + String(repeating: "x", count: (1 << 20) - url.utf8.count), atOnce: 8)
    case .remoteOpens: floodOpens(BenchWorld.busURL, atOnce: 10_000)
    case .churn: churn(waits: true)
    case .unreadChurn: churn(waits: false)
    case .idle: hold { _ in nil }
    case .monitors:
      hold { $0.isMultiple(of: 2) ? Contract.monitor() : Contract.watchApplications() }
    case .commands: break
    }
  }

  // MARK: Floods

  /// Sends what every connection takes, and reads nothing but what a connection starts with.
  /// - Parameter most: The bus takes and keeps everything, so a connection there is replaced after as many.
  private func floodUnread(most: Int, _ message: () -> Message) {
    var open: [(connection: Connection, sent: Int)] = (0..<connections).compactMap { _ in
      connect().map { ($0, 0) }
    }
    say("")
    while true {
      var states = open.map {
        pollfd(fd: $0.connection.fileDescriptor, events: Int16(POLLOUT), revents: 0)
      }
      _ = unsafe poll(&states, nfds_t(states.count), open.isEmpty ? 10 : 1000)
      for (index, state) in states.enumerated() where state.revents != 0 {
        let isOver = transport == .bus && open[index].sent >= most
        if isOver || state.revents & Int16(POLLHUP | POLLERR) != 0 {
          if let connection = connect() { open[index] = (connection, 0) }
          continue
        }
        // Sending writes, and does not read.
        for _ in 0..<64 {
          open[index].connection.send(message())
          open[index].sent += 1
          if open[index].connection.hasUnwritten { break }
        }
      }
      if open.isEmpty, let connection = connect() { open.append((connection, 0)) }
    }
  }

  /// Opens some at a time without end. It does not wait for the opens, but for the daemon to have read them:
  /// who does not do even that is stopped by nobody but the bus.
  private func floodOpens(_ url: String, atOnce: Int) {
    var isSaid = false
    while true {
      guard let connection = connect() else { continue }
      while true {
        for _ in 0..<atOnce {
          connection.send(
            .call(
              to: Contract.busName, path: Contract.objectPath, interface: Contract.workspace,
              member: "OpenURL", [.string(url), .options([:])], expectsReply: false))
        }
        guard (try? connection.callAndWait(Contract.ping())) != nil else { break }
        if !isSaid { say("") }
        isSaid = true
      }
    }
  }

  /// - Parameter waits: whether a connection stays until it has its answer.
  private func churn(waits: Bool) {
    let query = QueryOptions(actAs: BenchWorld.application)
    var isSaid = false
    while true {
      guard let connection = connect() else { continue }
      let question = Contract.canOpenURL("lsbench:x", query)
      if waits {
        _ = try? connection.callAndWait(question, milliseconds: 1000)
      } else {
        connection.send(question)
        connection.flush()
      }
      if !isSaid { say("") }
      isSaid = true
    }
  }

  /// Makes the connections, and calls once on each. The calls are answered while the connections are made.
  private func hold(_ call: (Int) -> Message?) {
    var held: [Connection] = []
    for number in 0..<connections {
      guard let connection = connect() else { continue }
      held.append(connection)
      guard let call = call(number) else { continue }
      connection.send(call)
      connection.flush()
    }
    say(kind == .monitors ? "\(held.count) connections" : "")
    withExtendedLifetime(held) { while true { pause() } }
  }

  // MARK: What they share

  /// Nil, after a moment, when it cannot be made.
  private func connect() -> Connection? {
    func variable(_ name: String) -> String? {
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
    let connection: Connection?
    switch transport {
    case .direct:
      connection = DirectSocket.path(variable).flatMap { try? Connection(socket: $0) }
    case .remote:
      connection = variable("XDG_RUNTIME_DIR").flatMap {
        try? Connection(remoteSocket: BenchWorld.remoteSocket(in: $0), within: .seconds(10))
      }
    case .bus, .none: connection = try? Connection()
    }
    if connection == nil { poll(nil, 0, 10) }
    return connection
  }

  private func raiseDescriptorLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// That it is under way, with what there is to say about that.
  private func say(_ remark: String) {
    let line = Array((remark + "\n").utf8)
    _ = unsafe write(STDOUT_FILENO, line, line.count)
  }
}
