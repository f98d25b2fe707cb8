/// The schedule for fetching association files: at registration, then weekly, and with increasing delays
/// while a site does not answer (R8.6).
///
/// A pure state machine. Times are seconds since 1970. The caller performs the fetches, and calls again at
/// `nextTime`.
package struct AssociationSchedule: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// Time of the last attempt.
    package var triedAt: Int64
    package var result: FetchResult
    /// Number of consecutive failures.
    package var failures: Int

    package init(triedAt: Int64, result: FetchResult, failures: Int) {
      self.triedAt = triedAt
      self.result = result
      self.failures = failures
    }

    package var nextTime: Int64 {
      guard failures > 0 else { return triedAt + AssociationSchedule.week }
      let doublings = min(failures - 1, 16)
      return triedAt
        + min(AssociationSchedule.longestPause, AssociationSchedule.firstPause << doublings)
    }
  }

  package static let week: Int64 = 7 * 24 * 3600
  static let firstPause: Int64 = 15 * 60
  static let longestPause: Int64 = 24 * 3600
  /// Maximum number of concurrent fetches.
  package static let mostAtOnce = 4

  package private(set) var entries: [WebHost: Entry] = [:]
  private var wanted: Set<WebHost> = []
  private var underWay: Set<WebHost> = []
  /// Domains to be fetched regardless of earlier results, in order.
  private var urgent: [WebHost] = []

  package init(entries: [WebHost: Entry] = [:]) { self.entries = entries }

  package enum Event: Hashable, Sendable {
    /// Exactly these domains are declared now.
    case declared(Set<WebHost>)
    /// The user requests a fetch, or an application was reinstalled.
    case refresh([WebHost])
    case fetched(WebHost, FetchResult)
    case timePassed
  }

  /// - Returns: the domains to fetch now. Report each result with `fetched`.
  package mutating func handle(_ event: Event, at now: Int64) -> [WebHost] {
    switch event {
    case .declared(let domains):
      wanted = domains
      entries = entries.filter { domains.contains($0.key) }
      urgent.removeAll { !domains.contains($0) }
    case .refresh(let domains):
      urgent += domains.filter { !urgent.contains($0) && !underWay.contains($0) }
    case .fetched(let domain, let result):
      underWay.remove(domain)
      let failures = result.isAnswer ? 0 : (entries[domain]?.failures ?? 0) + 1
      if wanted.contains(domain) {
        entries[domain] = Entry(triedAt: now, result: result, failures: failures)
      }
    case .timePassed: break
    }
    let due =
      urgent
      + wanted.filter { !urgent.contains($0) && isDue($0, at: now) }.sorted {
        (entries[$0]?.nextTime ?? 0, $0) < (entries[$1]?.nextTime ?? 0, $1)
      }
    let chosen = Array(
      due.filter { !underWay.contains($0) }.prefix(Self.mostAtOnce - underWay.count))
    underWay.formUnion(chosen)
    urgent.removeAll(where: chosen.contains)
    return chosen
  }

  /// Time of the next fetch; nil without planned fetches, or when a running fetch must end first.
  package var nextTime: Int64? {
    underWay.count >= Self.mostAtOnce
      ? nil : wanted.subtracting(underWay).map { entries[$0]?.nextTime ?? 0 }.min()
  }

  package func isUnderWay(_ domain: WebHost) -> Bool {
    underWay.contains(domain) || urgent.contains(domain)
  }

  /// Whether a fetch is due. After the clock was set back, a domain waits no longer than its pause.
  private func isDue(_ domain: WebHost, at now: Int64) -> Bool {
    guard let entry = entries[domain] else { return true }
    return now >= entry.nextTime || now < entry.triedAt
  }
}

/// The result of fetching an association file. The raw value is the exit status of the fetching program.
package enum FetchResult: Int32, Hashable, Sendable, CaseIterable {
  case fetched = 0
  /// The program was not run, or ended with another status.
  case failed = 1
  /// Status 403 or 404 (R8.6).
  case denied = 10
  case redirected = 11
  case tooLarge = 12
  case badCertificate = 13
  case timedOut = 14
  case unreachable = 15
  case refused = 16
  case unreadable = 17
  case notStored = 18

  /// Whether the result is a definite answer of the site.
  package var isAnswer: Bool { self == .fetched || self == .denied }

  package var sentence: String {
    switch self {
    case .fetched: "fetched"
    case .failed: "the program that fetches it failed"
    case .denied: "the site answered 403 or 404: it has none"
    case .redirected: "the site redirects, which is not allowed"
    case .tooLarge: "it is larger than \(AssociationFile.largestSize / 1024) KB"
    case .badCertificate: "the certificate of the site is not valid"
    case .timedOut: "the site took too long"
    case .unreachable: "the site cannot be reached"
    case .refused: "the site answered with another status than 200"
    case .unreadable: "it is no association file; for the reason, run: lsregister links verify"
    case .notStored: "it could not be written"
    }
  }
}
