internal import Events
internal import Glibc

// Unix sockets by which processes of this user query each other: each connection carries one query and one answer.
// Nothing here blocks.

/// The kind of a socket.
package enum LocalSocketKind {
  /// Query and answer are datagrams.
  case datagrams
  /// The answer comes in one piece.
  case stream

  fileprivate var type: Int32 {
    let type = self == .stream ? SOCK_STREAM : SOCK_SEQPACKET
    return Int32(type.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  }
}

private func withSocket(
  _ path: String, _ kind: LocalSocketKind = .datagrams,
  _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws(Errno) -> Descriptor {
  guard var address = sockaddr_un(path: path) else { throw Errno(ENAMETOOLONG) }
  let number = socket(AF_UNIX, kind.type, 0)
  guard number >= 0 else { throw .last }
  let descriptor = Descriptor(adopting: number)
  let result = unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      unsafe body(number, address, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  guard result == 0 else { throw .last }
  return descriptor
}

private func receive(_ number: Int32, atMost largest: Int) -> [UInt8]? {
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: largest) { buffer, filled in
    filled = unsafe max(0, recv(number, buffer.baseAddress, largest, 0))
  }
  return bytes.isEmpty ? nil : bytes
}

private func transmit(_ number: Int32, _ bytes: [UInt8]) throws(Errno) {
  guard unsafe send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
    throw .last
  }
}

/// Answers queries on a Unix socket.
@MainActor package final class AnsweringSocket {
  /// The connections without a query yet, oldest first.
  private var connections: [(number: Int32, watch: DescriptorWatch)] = []
  private var watch: DescriptorWatch?

  /// Maximum number of connections; a further connection closes the oldest one.
  private static let mostConnections = 64
  private static let largestQuestion = 256

  /// - Parameters:
  ///   - path: path of the socket, which only this user may connect to. An existing socket is replaced.
  ///   - answer: returns the answer; nil for an invalid query, which closes the connection.
  package init(path: String, _ answer: @escaping @MainActor ([UInt8]) -> [UInt8]?) throws(Errno) {
    unsafe unlink(path)
    // With its mode before it has a name: chmod(2) of a path follows symbolic links.
    let listener = try unsafe withSocket(path) {
      unsafe fchmod($0, 0o600) == 0 ? bind($0, $1, $2) : -1
    }
    guard listen(listener.number, 64) == 0 else { throw .last }
    let number = listener.number
    watch = DescriptorWatch(closing: listener.release()) { [weak self] in
      let connection = accept(number, nil, nil)
      guard connection >= 0 else { return }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      _ = fcntl(connection, F_SETFL, O_NONBLOCK)
      self?.serve(connection, answer)
    }
  }

  private func serve(_ number: Int32, _ answer: @escaping @MainActor ([UInt8]) -> [UInt8]?) {
    if connections.count == Self.mostConnections { connections.removeFirst() }
    let watch = DescriptorWatch(closing: number) { [weak self] in
      if let question = receive(number, atMost: Self.largestQuestion), let answer = answer(question)
      {
        try? transmit(number, answer)
      }
      self?.connections.removeAll { $0.number == number }
    }
    connections.append((number, watch))
  }
}

/// A connection to a Unix socket on which a process of this user listens.
package final class LocalSocketConnection {
  /// The process that called listen(2).
  package let process: Int32
  private var descriptor: Int32

  /// Throws `notPermitted` for a process of another user.
  package init(to path: String, _ kind: LocalSocketKind = .datagrams) throws(Errno) {
    let connection = try unsafe withSocket(path, kind) { unsafe connect($0, $1, $2) }
    var credentials: [UInt32] = [0, .max, .max]  // struct ucred: process, user, group
    var size = socklen_t(credentials.count * MemoryLayout<UInt32>.size)
    guard
      unsafe getsockopt(connection.number, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0,
      credentials[1] == getuid()
    else { throw .notPermitted }
    process = Int32(bitPattern: credentials[0])
    descriptor = connection.release()
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the descriptor, which the caller has to close.
  fileprivate func take() -> Int32 {
    defer { descriptor = -1 }
    return descriptor
  }
}

/// A query that waits for its answer.
@MainActor package final class LocalSocketQuery {
  private var watch: DescriptorWatch?
  private var deadline: Deadline?
  /// The rest of the greeting that the other end writes before it reads.
  private var greeting: ArraySlice<UInt8>
  private var answer: [UInt8] = []
  /// Whether the query was sent.
  package private(set) var isSent = false

  /// Connects and sends the query. Releasing this object cancels the query.
  /// - Parameters:
  ///   - largest: maximum size of the answer, in bytes.
  ///   - isTrusted: returns whether the listening process may be queried.
  ///   - completion: called once, later; with nil when no answer arrived in time.
  package convenience init(
    _ question: [UInt8], at path: String, atMost largest: Int, within patience: Duration,
    isTrusted: (Int32) -> Bool, completion: @escaping @MainActor ([UInt8]?) -> Void
  ) throws(Errno) {
    let connection = try LocalSocketConnection(to: path)
    guard isTrusted(connection.process) else { throw .notPermitted }
    try self.init(
      question, on: connection, atMost: largest, within: patience, completion: completion)
  }

  /// Sends the query. Releasing this object cancels the query and closes the connection.
  /// - Parameters:
  ///   - greeting: what the other end writes first, before which nothing is sent.
  ///   - endsWriting: whether the end of the query is the end of what is written, on a stream.
  ///   - largest: maximum size of the answer, in bytes.
  ///   - isComplete: whether these bytes, the beginning of the answer, are all of the answer.
  ///   - completion: called once, later; with nil when no answer arrived in time, or the other end writes something
  ///     else than the greeting.
  package init(
    _ question: [UInt8], on connection: LocalSocketConnection, after greeting: [UInt8] = [],
    endsWriting: Bool = false, atMost largest: Int, within patience: Duration,
    isComplete: @escaping @MainActor ([UInt8]) -> Bool = { _ in true },
    completion: @escaping @MainActor ([UInt8]?) -> Void
  ) throws(Errno) {
    let descriptor = Descriptor(adopting: connection.take())
    let number = descriptor.number
    self.greeting = greeting[...]
    if greeting.isEmpty { try send(question, to: number, endsWriting) }
    watch = DescriptorWatch(closing: descriptor.release()) { [weak self] in
      guard let self, watch != nil else { return }
      guard var bytes = receive(number, atMost: largest - answer.count)?[...] else {
        return end(isSent && !answer.isEmpty ? answer : nil, completion)
      }
      if !self.greeting.isEmpty {
        let count = min(bytes.count, self.greeting.count)
        guard self.greeting.starts(with: bytes.prefix(count)) else { return end(nil, completion) }
        self.greeting = self.greeting.dropFirst(count)
        bytes = bytes.dropFirst(count)
        if self.greeting.isEmpty, (try? send(question, to: number, endsWriting)) == nil {
          return end(nil, completion)
        }
      }
      answer += bytes
      guard !answer.isEmpty else { return }
      if isComplete(answer) || answer.count >= largest { end(answer, completion) }
    }
    deadline = Deadline(after: patience) { [weak self] in self?.end(nil, completion) }
  }

  private func send(_ question: [UInt8], to number: Int32, _ endsWriting: Bool) throws(Errno) {
    try transmit(number, question)
    isSent = true
    if endsWriting { shutdown(number, Int32(SHUT_WR)) }
  }

  private func end(_ answer: [UInt8]?, _ completion: @MainActor ([UInt8]?) -> Void) {
    guard watch != nil else { return }
    watch = nil
    deadline = nil
    completion(answer)
  }
}

extension sockaddr_un {
  /// Nil for a path that is too long for a socket address.
  init?(path: String) {
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = unsafe withUnsafeMutableBytes(of: &sun_path) { room in
      guard bytes.count < room.count else { return false }
      unsafe room.copyBytes(from: bytes)
      return true
    }
    guard fits else { return nil }
  }
}

/// Sends `READY=1` to the service manager, for a unit of `Type=notify`.
/// - Parameter socket: The value of `NOTIFY_SOCKET`.
package func notifyReady(_ socket: String?) {
  guard let socket, socket.hasPrefix("/") else { return }
  _ = JournalSocket(path: socket)?.send(Array("READY=1".utf8))
}
