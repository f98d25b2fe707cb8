internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop

/// A call that waits for its turn.
struct WaitingCall {
  let content: Result<IncomingCall, BusError>
  let call: PendingCall
  let peer: ServedPeers.Peer

  /// The call needs no answer when the caller has left.
  var isQuestion: Bool { (try? content.get())?.isQuestion ?? true }

  var bringsStreams: Bool { (try? content.get())?.bringsStreams ?? false }
}

extension WaitingCall {
  init(reading call: PendingCall, of peer: ServedPeers.Peer) {
    let content: Result<IncomingCall, BusError>
    do throws(BusError) {
      content = .success(try IncomingCall(call))
    } catch {
      content = .failure(error)
    }
    self.init(content: content, call: call, peer: peer)
  }
}

/// The connections that have called, grouped by caller.
struct ServedPeers {
  typealias Queue = CallQueue<WaitingCall>

  /// A connection that has called.
  final class Peer {
    let name: String
    let session: BusSession
    let line: Queue.Line
    /// Nil until the caller is identified.
    var facts: CallerTable.Answer?
    var hasLeft = false
    var callsWithStreams = 0

    init(_ name: String, _ session: BusSession) {
      self.name = name
      self.session = session
      line = Queue.Line(Queue.Share())
    }

    nonisolated deinit {}

    /// A direct peer waits with more until some of these are answered.
    var isFull: Bool {
      line.count >= CallLimits.mostReadAhead || line.share.bytes >= CallLimits.mostBytesReadAhead
    }
  }

  private var peers: [String: Peer] = [:]
  /// Of the callers that are known.
  private var shares: [String: (share: Queue.Share, peers: [Peer])] = [:]
  /// Direct peers that are not read from, because too many of their calls wait.
  private var paused: [Peer] = []

  subscript(_ name: String) -> Peer? { peers[name] }

  var all: some Collection<Peer> { peers.values }

  mutating func peer(_ name: String, on session: BusSession) -> Peer {
    if let peer = peers[name] { return peer }
    let peer = Peer(name, session)
    peers[name] = peer
    return peer
  }

  /// Adds the connection to its caller, which is identified now.
  mutating func join(_ peer: Peer, _ name: String) -> Queue.Share {
    let entry = shares[name] ?? (Queue.Share(), [])
    if !peer.hasLeft { shares[name] = (entry.share, entry.peers + [peer]) }
    return entry.share
  }

  mutating func remove(_ peer: Peer) {
    peers[peer.name] = nil
    paused.removeAll { $0 === peer }
    guard case .success(let facts) = peer.facts, var entry = shares[facts.share] else { return }
    entry.peers.removeAll { $0 === peer }
    shares[facts.share] = entry.peers.isEmpty ? nil : entry
  }

  /// The bytes that the caller of a connection has not read, on all its direct connections.
  func unwrittenBytes(ofCallerOf peer: Peer, besides bus: BusSession) -> Int {
    guard case .success(let facts) = peer.facts, let peers = shares[facts.share]?.peers,
      peers.count > 1
    else { return 0 }
    return peers.lazy.filter { $0.session !== bus }.reduce(0) { $0 + $1.session.unwrittenBytes }
  }

  // MARK: Reading

  mutating func pause(_ peer: Peer) {
    peer.session.reads = false
    paused.append(peer)
  }

  mutating func resume(where mayRead: (Peer) -> Bool) {
    guard !paused.isEmpty else { return }
    paused.removeAll { peer in
      guard mayRead(peer) else { return false }
      peer.session.reads = true
      return true
    }
  }
}
