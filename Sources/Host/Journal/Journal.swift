internal import Glibc
internal import Synchronization

/// The log of this program: one line per entry on standard error, or an entry with fields if standard error
/// leads to systemd's journal.
///
/// Never blocks: an entry that cannot be written at once, or that exceeds the rate limit, is dropped and
/// counted. The next entry that is written reports the count. Safe on any thread.
package final class Journal: Sendable {
  /// Entries of lower levels are not written.
  package let minimum: JournalLevel
  private let program: String
  private let descriptor: Int32
  /// Whether the descriptor leads to systemd's journal.
  package let isSystemJournal: Bool
  /// The journal's socket for entries with fields; nil when it is not available.
  private let socket: JournalSocket?
  private let state: Mutex<(limit: RateLimit, dropped: Int)>

  /// `environment` shows whether the descriptor leads to the journal, which reads the level from the start of
  /// the line and adds the program's name.
  package init(
    program: String, minimum: JournalLevel = .info, environment: [String: String],
    linesPerSecond: Int = 100, descriptor: Int32 = 2, socket: String = "/run/systemd/journal/socket"
  ) {
    self.program = program
    self.minimum = minimum
    self.descriptor = descriptor
    isSystemJournal = Self.leadsToSystemJournal(descriptor, environment["JOURNAL_STREAM"])
    self.socket = isSystemJournal ? JournalSocket(path: socket) : nil
    state = Mutex((RateLimit(perSecond: linesPerSecond), 0))
  }

  /// Writes an entry. `message` is a constant sentence without its full stop; `values` are printed as
  /// `key=value`. Both may contain any text.
  /// - Parameter subject: The subject of the entry: fields that are not printed.
  package func log(
    _ level: JournalLevel, _ message: String,
    _ values: @autoclosure () -> KeyValuePairs<String, String> = [:],
    about subject: @autoclosure () -> [String: String] = [:]
  ) {
    guard level <= minimum else { return }
    let entry = JournalEntry(level: level, message: message, values: values(), subject: subject())
    state.withLock { state in
      guard case .admitted(let refused) = state.limit.ask(at: Time.monotonicMicroseconds()) else {
        return
      }
      state.dropped += refused
      if state.dropped > 0 {
        let gap = JournalEntry(
          level: .warning, message: "\(state.dropped) lines suppressed", values: [:])
        guard write(gap) else {
          state.dropped += 1
          return
        }
        state.dropped = 0
      }
      if !write(entry) { state.dropped += 1 }
    }
  }

  /// Returns false when the entry could not be written at once.
  private func write(_ entry: JournalEntry) -> Bool {
    switch socket?.send(entry.datagram(program: program)) {
    case .sent?: return true
    case .full?: return false
    case .refused?, nil: break
    }
    let line = entry.line(program: program, forJournal: isSystemJournal)
    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // A writable pipe accepts PIPE_BUF bytes, the maximum length of a line.
    guard unsafe poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLOUT) != 0 else { return false }
    return unsafe line.withUnsafeBytes { bytes in
      retrying { unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
    } == line.count
  }

  /// systemd passes device and inode of its stream in `JOURNAL_STREAM`; a redirected stream differs.
  private static func leadsToSystemJournal(_ descriptor: Int32, _ stream: String?) -> Bool {
    var status = stat()
    guard let stream, unsafe fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}

extension Journal {
  package func error(
    _ message: String, _ values: @autoclosure () -> KeyValuePairs<String, String> = [:],
    about subject: @autoclosure () -> [String: String] = [:]
  ) {
    log(.error, message, values(), about: subject())
  }

  package func warning(
    _ message: String, _ values: @autoclosure () -> KeyValuePairs<String, String> = [:],
    about subject: @autoclosure () -> [String: String] = [:]
  ) {
    log(.warning, message, values(), about: subject())
  }

  package func notice(
    _ message: String, _ values: @autoclosure () -> KeyValuePairs<String, String> = [:],
    about subject: @autoclosure () -> [String: String] = [:]
  ) {
    log(.notice, message, values(), about: subject())
  }

  package func info(
    _ message: String, _ values: @autoclosure () -> KeyValuePairs<String, String> = [:],
    about subject: @autoclosure () -> [String: String] = [:]
  ) {
    log(.info, message, values(), about: subject())
  }

  package func debug(
    _ message: String, _ values: @autoclosure () -> KeyValuePairs<String, String> = [:],
    about subject: @autoclosure () -> [String: String] = [:]
  ) {
    log(.debug, message, values(), about: subject())
  }
}
