internal import Host
internal import LaunchRules

/// The queried schemes of callers linked before iOS 9 (R3.8), kept across restarts.
final class QueryQuotas {
  private(set) var counted: LegacyQuotas
  private let file: StateFile<QuotaState>
  private let journal: Journal

  init(_ file: StateFile<QuotaState>, _ journal: Journal) {
    self.file = file
    self.journal = journal
    counted = LegacyQuotas(file.read(journal) ?? QuotaState())
  }

  /// Runs a query that may count, and stores a changed count.
  func count<Answer>(_ question: (inout LegacyQuotas) -> Answer) -> Answer {
    let before = counted.generation
    let answer = question(&counted)
    if counted.generation != before { store() }
    return answer
  }

  func reset(_ identifier: BundleIdentifier) { count { $0.reset(identifier) } }

  /// Stores the counts. Also used after the removal of the file.
  func store() {
    do throws(FileError) {
      try file.write(QuotaState(counted))
    } catch {
      journal.error("the counted queries cannot be stored", ["reason": "\(error)"])
    }
  }
}

/// The stored form of the counted queries.
nonisolated struct QuotaState: Codable, Sendable {
  struct Quota: Codable, Sendable {
    var stamp: String
    var schemes: [String]
  }

  /// By bundle identifier.
  var quotas: [String: Quota] = [:]

  init() {}

  init(_ quotas: LegacyQuotas) {
    for (identifier, quota) in quotas.quotas {
      self.quotas[identifier.text] = Quota(
        stamp: quota.stamp, schemes: quota.counted.map(\.text))
    }
  }
}

nonisolated extension LegacyQuotas {
  init(_ state: QuotaState) {
    var quotas: [BundleIdentifier: LegacyQuota] = [:]
    for (identifier, quota) in state.quotas {
      guard let identifier = BundleIdentifier(identifier) else { continue }
      quotas[identifier] = LegacyQuota(stamp: quota.stamp, counted: quota.schemes)
    }
    self.init(quotas)
  }
}
