internal import Commands

/// Processes that load the daemon while a bystander asks and opens.
struct Flood: Codable, Hashable {
  enum Kind: String, Codable, CaseIterable {
    /// Only uses the processor: what a busy machine alone costs the bystander.
    case spin
    /// Sends `Introspect` on several connections and reads no answer.
    case unreadIntrospect = "introspect-unread"
    /// Sends `CanOpenURL` on several connections and reads no answer.
    case unreadQuestions = "questions-unread"
    /// Opens for a handler that hangs, without waiting for the opens.
    case hungOpens = "opens-hung"
    /// Opens URLs of a megabyte for a handler that hangs.
    case largeURLs = "large-urls-hung"
    /// Many `lsopen` that wait for a handler that hangs.
    case commands = "lsopen-hung"
    /// Connects, asks once and disconnects.
    case churn
    /// Connects, asks once and disconnects without waiting for the answer.
    case unreadChurn = "churn-unread"
    /// Holds connections that ask nothing.
    case idle
    /// Very many connections that want to be told of every open and every application.
    case monitors
    /// Opens 10,000 URLs at a time as a remote, which may open 30 a minute.
    case remoteOpens = "opens-remote"
  }

  enum Transport: String, Codable {
    case bus, direct, none
    /// The socket of a remote.
    case remote
  }

  var kind: Kind
  var transport: Transport
  var processes: Int

  /// As `--filter` sees it.
  var name: String { "\(kind.rawValue) \(transport.rawValue) \(processes)" }

  /// All that are measured; when it is to be quick, one of each kind.
  static func all(isQuick: Bool) -> [Flood] {
    func floods(_ kind: Kind, _ transports: Transport..., of numbers: [Int] = [1, 6]) -> [Flood] {
      transports.suffix(isQuick ? 1 : 2).flatMap { transport in
        numbers.prefix(isQuick ? 1 : 2).map {
          Flood(kind: kind, transport: transport, processes: $0)
        }
      }
    }
    return floods(.spin, .none) + floods(.unreadIntrospect, .bus, .direct)
      + floods(.unreadQuestions, .bus, .direct) + floods(.hungOpens, .bus, .direct)
      + floods(.largeURLs, .bus, .direct) + floods(.commands, .direct, of: [isQuick ? 2 : 80])
      + floods(.churn, .bus, .direct) + floods(.unreadChurn, .bus, .direct) + floods(.idle, .direct)
      + floods(.monitors, .bus, of: [1])
      + floods(.remoteOpens, .remote, of: [1])
  }

  /// In MiB: besides the URLs that `MaximumPendingBytes` admits, which is 64 MiB unless it is set.
  var mostMemory: Double { kind == .largeURLs ? 48 + 64 : 48 }

  /// The arguments of `lsbench` for each of the processes; nil when they are other programs.
  func arguments(isQuick: Bool) -> [String]? {
    kind == .commands
      ? nil : ["--flooder", "\(kind.rawValue)/\(transport.rawValue)/\(connections(isQuick))"]
  }

  /// Of each process.
  private func connections(_ isQuick: Bool) -> Int {
    switch (kind, transport) {
    case (.unreadIntrospect, .direct), (.unreadQuestions, .direct): 30
    // The bus keeps for them what they do not read.
    case (.unreadIntrospect, _), (.unreadQuestions, _): 4
    case (.idle, _): 32
    case (.monitors, _): isQuick ? 50 : 10_000
    case (.spin, _): 0
    case (.hungOpens, _), (.largeURLs, _), (.commands, _), (.churn, _), (.unreadChurn, _),
      (.remoteOpens, _):
      1
    }
  }
}
