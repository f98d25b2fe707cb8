internal import DBus
internal import DBusMainLoop
internal import DesktopEntries
internal import Host
internal import LaunchRules

/// Finds the processes that have an endpoint of an application open. The bus and the kernel name the process that has
/// connected or listened, which need not be the process that reads.
final class EndpointHolders {
  /// An endpoint that was found in order.
  private struct Known: Hashable {
    var endpoint: ReceivingProcess.Endpoint
    var pid: Int32
    var startTime: UInt64
    var executable: FileIdentity?
  }

  private let session: BusSession
  private var known: Set<Known> = []
  private static let mostKnown = 64
  private static let patience: Duration = .seconds(15)

  init(_ session: BusSession) { self.session = session }

  /// Nil when the kernel cannot tell, and when the endpoint was in order before, which needs no second search.
  /// - Parameter programs: the programs by which the application is started.
  func of(
    _ endpoint: ReceivingProcess.Endpoint, _ process: ProcessDetails, _ programs: [[String]]
  ) async -> ReceivingProcessRule.Holders? {
    let key = Known(
      endpoint: endpoint, pid: process.pid, startTime: process.startTime,
      executable: process.executable?.identity)
    // The kernel lists the sockets of one network.
    guard !known.contains(key), process.otherNamespaces(among: ["net"]).isEmpty,
      let sockets = UnixSockets()
    else { return nil }
    let own: (made: Int, all: Set<UnixSockets.Inode>)
    switch endpoint {
    case .connection:
      guard let all = session.connection.flatMap({ sockets.clients(ofServerOf: $0.fileDescriptor) })
      else { return nil }
      own = (await connections(of: process), all)
    case .socket(let path):
      guard let all = sockets.listeners(at: path) else { return nil }
      own = (1, all)
    }
    let holders = Self.holders(own.made, own.all, of: process, programs)
    if ReceivingProcessRule.objection(to: holders) == nil {
      if known.count == Self.mostKnown { known = [] }
      known.insert(key)
    }
    return holders
  }

  private static func holders(
    _ made: Int, _ all: Set<UnixSockets.Inode>, of process: ProcessDetails, _ programs: [[String]]
  ) -> ReceivingProcessRule.Holders {
    let held = process.openSockets?.intersection(all) ?? []
    let others = ProcessDetails.ofThisUser().filter { other in
      other.pid != process.pid && other.openSockets?.isDisjoint(with: held) == false
        && RunningProgram.relation(of: other, to: programs) == .other
    }
    return .init(made: made, held: held.count, others: others.map(\.pid))
  }

  /// The number of connections to the bus that the process has made.
  private func connections(of process: ProcessDetails) async -> Int {
    let list = try? await session.call(MessageBus.call("ListNames", []), deadline: Self.patience)
    let names = (list?.first?.elements ?? []).compactMap(\.asString)
      .filter { $0.hasPrefix(":") }.compactMap { BusName($0) }
    // All are asked at once.
    let questions = names.map { name in
      Task { [session] in await BusNameOwner.processNumber(of: name, on: session) }
    }
    var count = 0
    for question in questions where await question.value == process.pid { count += 1 }
    return count
  }
}
