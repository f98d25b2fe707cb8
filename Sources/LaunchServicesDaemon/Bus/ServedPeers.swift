internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import LaunchRules

/// A queued call. A class, because the queue moves it several times, and a copy of the content is expensive.
final class WaitingCall {
  let content: Result<IncomingCall, BusError>
  let call: PendingCall
  let peer: ServedPeers.Peer
  /// The size for which the call counts.
  let bytes: Int
  /// The next part of the work of an answer that takes several turns.
  var step: Reply.Step?
  /// The key of the large answer that is being made, for `ServedPeers.endLargeAnswer`.
  var largeAnswer: ObjectIdentifier?

  init(
    content: Result<IncomingCall, BusError>, call: PendingCall, peer: ServedPeers.Peer, bytes: Int
  ) {
    self.content = content
    self.call = call
    self.peer = peer
    self.bytes = bytes
  }

  nonisolated deinit {}

  /// True for calls without side effects, which need no answer after the caller has disconnected.
  var isQuestion: Bool { (try? content.get())?.isQuestion ?? true }

  /// True for calls whose answers may be large. A caller gets one such answer at a time, on all its connections.
  var hasLargeAnswer: Bool {
    switch content {
    case .success(.history), .success(.listApplications), .success(.findApplications),
      .success(.links(.list)):
      true
    default: false
    }
  }

  var bringsStreams: Bool { (try? content.get())?.bringsStreams ?? false }
}

extension WaitingCall {
  convenience init(reading call: PendingCall, of peer: ServedPeers.Peer, bytes: Int) {
    let content: Result<IncomingCall, BusError>
    do throws(BusError) {
      content = .success(try IncomingCall(call))
    } catch {
      content = .failure(error)
    }
    self.init(content: content, call: call, peer: peer, bytes: bytes)
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

    init(_ name: String, _ session: BusSession, _ share: Queue.Share) {
      self.name = name
      self.session = session
      line = Queue.Line(share)
    }

    nonisolated deinit {}

    /// Whether the connection is that of a remote, which learns nothing about the registry.
    var isRemote: Bool { (try? facts?.get())?.remote != nil }

    /// Whether reading from this direct peer pauses until some of its calls are answered.
    var isFull: Bool {
      line.count >= CallLimits.mostReadAhead || line.share.bytes >= CallLimits.mostBytesReadAhead
    }
  }

  private var peers: [String: Peer] = [:]
  /// The shares of identified callers, with the connections of each, by `CallerTable.Facts.share`.
  private var shares: [LoadOwner: (share: Queue.Share, owners: [LoadOwner], peers: [Peer])] = [:]
  /// The groups of these callers, with the number of shares in each.
  private var groups: [LoadOwner: (group: Queue.Group, shares: Int)] = [:]
  private let allCallers = Queue.Group()
  /// The callers that are not identified yet.
  private let unidentified = Queue.Group()
  /// Direct peers with paused reading, because of too many queued calls.
  private var paused: [Peer] = []
  /// The callers for which a large answer is made.
  private var withLargeAnswer: Set<ObjectIdentifier> = []

  subscript(_ name: String) -> Peer? { peers[name] }

  var all: some Collection<Peer> { peers.values }

  mutating func peer(_ name: String, on session: BusSession) -> Peer {
    if let peer = peers[name] { return peer }
    let own = Queue.Group()
    let peer = Peer(name, session, Queue.Share(in: [allCallers, unidentified, own]))
    peers[name] = peer
    return peer
  }

  /// Adds a connection to its identified caller and returns the share of the caller.
  mutating func join(_ peer: Peer, _ facts: CallerTable.Facts) -> Queue.Share {
    if let entry = shares[facts.share] {
      shares[facts.share]?.peers.append(peer)
      return entry.share
    }
    let owners = facts.groupsAndShare
    let share = Queue.Share(in: [allCallers] + owners.map { enter($0) })
    shares[facts.share] = (share, owners, [peer])
    return share
  }

  private mutating func enter(_ owner: LoadOwner) -> Queue.Group {
    let (group, shares) = groups[owner] ?? (Queue.Group(), 0)
    groups[owner] = (group, shares + 1)
    return group
  }

  private mutating func leave(_ owner: LoadOwner) {
    guard let (group, shares) = groups[owner] else { return }
    groups[owner] = shares > 1 ? (group, shares - 1) : nil
  }

  /// Whether the groups of the caller of the peer have room for one more call.
  func hasRoom(for peer: Peer, _ admission: CallAdmission) -> Bool {
    admission.hasRoom(
      ofGroups: peer.line.share.groups.dropFirst().map(\.bytes), all: allCallers.bytes)
  }

  mutating func remove(_ peer: Peer) {
    peers[peer.name] = nil
    paused.removeAll { $0 === peer }
    guard case .success(let facts) = peer.facts, var entry = shares[facts.share] else { return }
    entry.peers.removeAll { $0 === peer }
    guard entry.peers.isEmpty else {
      shares[facts.share] = entry
      return
    }
    shares[facts.share] = nil
    for owner in entry.owners { leave(owner) }
  }

  /// The unwritten bytes of replies on all direct connections of the caller of `peer`. Returns 0 when the
  /// caller has one connection.
  func unwrittenBytes(ofCallerOf peer: Peer, besides bus: BusSession) -> Int {
    guard case .success(let facts) = peer.facts, let peers = shares[facts.share]?.peers,
      peers.count > 1
    else { return 0 }
    return peers.lazy.filter { $0.session !== bus }.reduce(0) { $0 + $1.session.unwrittenBytes }
  }

  // MARK: Large answers

  /// Whether a large answer is being made for the caller of the peer, on any of its connections, or too many for others.
  func waitsForLargeAnswer(_ peer: Peer) -> Bool {
    withLargeAnswer.count >= CallLimits.mostLargeAnswers
      || withLargeAnswer.contains(ObjectIdentifier(peer.line.share))
  }

  /// - Returns: the key for `endLargeAnswer`.
  mutating func beginLargeAnswer(to peer: Peer) -> ObjectIdentifier {
    let key = ObjectIdentifier(peer.line.share)
    withLargeAnswer.insert(key)
    return key
  }

  mutating func endLargeAnswer(_ key: ObjectIdentifier) { withLargeAnswer.remove(key) }

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
