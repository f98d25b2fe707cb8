internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

// The user's answers for good: who may give and change them, and how they are kept.

extension Daemon {
  func remember(_ key: Approvals.Key, _ isAllowed: Bool) {
    guard confirmationRule.approvals.set(key, isAllowed) else {
      return journal.warning(
        "the answer is not remembered: there are too many", ["limit": "\(Approvals.most)"])
    }
    do throws(FileError) {
      try approvalFile.write(ApprovalState(confirmationRule.approvals))
    } catch {
      journal.error("the answer cannot be stored", ["reason": "\(error)"])
    }
  }

  /// Who shows a notification answers for the user.
  func isNoApplication(_ connection: String) async -> Bool {
    await withCheckedContinuation { continuation in
      callers.withFacts(of: connection) { [weak self] facts in
        guard let self, let facts = try? facts.get() else {
          return continuation.resume(returning: false)
        }
        continuation.resume(
          returning: !facts.isFromBrowser && caller(connection, facts) == .unidentified)
      }
    }
  }

  func confirmationAnswer(
    _ request: IncomingCall, _ caller: Caller, _ sender: String
  ) throws(BusError) -> [Value] {
    switch caller {
    case .application(let own, _) where registry.application(own)?.isSystem != true:
      throw RegistrationFailure.notPermitted(
        "\(own) is an application, and the user's answers are not its to give"
      ).busError
    case .orphan:
      throw RegistrationFailure.notPermitted(
        "the caller descends from an application, and the user's answers are not its to give"
      ).busError
    case .application, .unidentified: break
    }
    guard callers.facts(of: sender)?.isFromBrowser == false else {
      throw RegistrationFailure.notPermitted(
        "the caller was started by a browser, and the user's answers are not a page's to give"
      ).busError
    }
    switch request {
    case .registerAgent(let path):
      try agents.add(ConfirmationAgent(connection: sender, path: path))
      journal.notice(
        "a confirmation agent has registered",
        ["caller": callers.facts(of: sender)?.executable?.path ?? "?"])
      return []
    case .approvals:
      let entries = confirmationRule.approvals.entries.map { Approval($0, isAllowed: $1) }
      return [.optionsList(entries.map(\.dictionary))]
    case .setApprovals(let approvals):
      try changeApprovals { rule throws(BusError) in
        for approval in approvals where !rule.set(approval.key, approval.isAllowed) {
          throw OpenFailure.limitExceeded(
            "\(Approvals.most) answers are remembered, which is the limit"
          ).busError
        }
      }
      return []
    case .resetApprovals(let opener, let scheme, let handler):
      var count = 0
      try changeApprovals { rule throws(BusError) in
        count = rule.reset(opener: opener, scheme: scheme, handler: handler)
      }
      return [.uint32(UInt32(count))]
    default: preconditionFailure("\(request) is not a call of Confirmation1")
    }
  }

  /// All or nothing.
  private func changeApprovals(
    _ change: (inout Approvals) throws(BusError) -> Void
  ) throws(BusError) {
    var approvals = confirmationRule.approvals
    try change(&approvals)
    do throws(FileError) {
      try approvalFile.write(ApprovalState(approvals))
    } catch {
      throw .failed("the change could not be stored: \(error)")
    }
    confirmationRule.approvals = approvals
  }
}

/// What the user answered for good: opener, scheme, handler.
nonisolated struct ApprovalState: Codable, Sendable {
  var approvals: [String: [String: [String: Bool]]] = [:]

  init() {}

  init(_ approvals: Approvals) {
    for (key, isAllowed) in approvals.entries {
      self.approvals["\(key.opener)", default: [:]][key.scheme.text, default: [:]][
        key.handler.text] = isAllowed
    }
  }

  /// What cannot be read, or is too much, is left out: the user is asked again.
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
        "remembered answers are left out: they cannot be read, or are too many",
        ["left-out": "\(count - value.entries.count)", "limit": "\(Approvals.most)"])
    }
    return value
  }

  /// In bytes, as much as the limit of answers can need: three names of 255 bytes each.
  static let largest = 16 << 20
}
