internal import Host
internal import LaunchRules

/// The stored form of the remembered answers, by opener, scheme and handler.
nonisolated struct ApprovalState: Codable, Sendable {
  var approvals: [String: [String: [String: Bool]]] = [:]

  init() {}

  init(_ approvals: Approvals) {
    for (key, isAllowed) in approvals.entries {
      self.approvals["\(key.opener)", default: [:]][key.scheme.text, default: [:]][
        key.handler.text] = isAllowed
    }
  }

  /// Drops invalid entries and entries beyond the limit; the user is asked again for them.
  func value(_ journal: Journal) -> Approvals {
    let count = approvals.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
    var entries: [Approvals.Key: Bool] = [:]
    for (opener, schemes) in approvals {
      for (scheme, handlers) in schemes {
        for (handler, isAllowed) in handlers {
          guard let opener = Approvals.Opener(opener), let scheme = URLScheme(scheme),
            let handler = BundleIdentifier(handler)
          else { continue }
          entries[Approvals.Key(opener: opener, scheme: scheme, handler: handler)] = isAllowed
        }
      }
    }
    let value = Approvals(entries)
    if value.entries.count < count {
      journal.warning(
        "ignored remembered answers that cannot be read or exceed the limit",
        ["left-out": "\(count - value.entries.count)", "limit": "\(Approvals.most)"])
    }
    return value
  }

  /// In bytes. Enough for the maximum number of answers with three names of 255 bytes each.
  static let largest = 16 << 20
}
