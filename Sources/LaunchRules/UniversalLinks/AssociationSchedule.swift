/// When association files are fetched: on registration, weekly, and later and later while a site does not
/// answer (R8.6).
///
/// Pure. Times are seconds since 1970. The caller fetches, and asks again at `nextTime`.
package struct AssociationSchedule: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// When it was tried last.
    package var triedAt: Int64
    package var result: FetchResult
    /// How often it failed in a row.
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
  /// Fetches at once.
  package static let mostAtOnce = 4

  package private(set) var entries: [WebHost: Entry] = [:]
  private var wanted: Set<WebHost> = []
  private var underWay: Set<WebHost> = []
  /// To be tried whatever was before, in order.
  private var urgent: [WebHost] = []

  package init(entries: [WebHost: Entry] = [:]) { self.entries = entries }

  package enum Event: Hashable, Sendable {
    /// These domains are declared now, and no others.
    case declared(Set<WebHost>)
    /// The user asks, or an application was installed anew.
    case refresh([WebHost])
    case fetched(WebHost, FetchResult)
    case timePassed
  }

  /// - Returns: the domains whose files are to be fetched now; each is answered with `fetched`.
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

  /// When something is due next; nil when nothing is, or when a fetch must end first.
  package var nextTime: Int64? {
    underWay.count >= Self.mostAtOnce
      ? nil : wanted.subtracting(underWay).map { entries[$0]?.nextTime ?? 0 }.min()
  }

  package func isUnderWay(_ domain: WebHost) -> Bool {
    underWay.contains(domain) || urgent.contains(domain)
  }

  /// A clock that was set back makes nothing wait longer than its pause.
  private func isDue(_ domain: WebHost, at now: Int64) -> Bool {
    guard let entry = entries[domain] else { return true }
    return now >= entry.nextTime || now < entry.triedAt
  }
}

/// What came of asking a site for its association file; the number is the exit status of the program that
/// asks.
package enum FetchResult: Int32, Hashable, Sendable, CaseIterable {
  case fetched = 0
  /// The program did not run, or ended in another way.
  case failed = 1
  /// 403 or 404 (R8.6).
  case denied = 10
  case redirected = 11
  case tooLarge = 12
  case badCertificate = 13
  case timedOut = 14
  case unreachable = 15
  case refused = 16
  case unreadable = 17
  case notStored = 18

  /// The site has said what there is.
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
    case .unreadable: "it is no association file; lsregister links verify tells why"
    case .notStored: "it could not be written"
    }
  }
}
