internal import LaunchRules

// Counted queries as they are stored.

nonisolated extension QuotaState {
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
