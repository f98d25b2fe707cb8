/// Decides whether an open needs a confirmation by the user.
package struct ConfirmationRule: Hashable, Sendable {
  package var table: ConfirmationTable
  package var approvals: Approvals

  package init(table: ConfirmationTable = ConfirmationTable(), approvals: Approvals = Approvals()) {
    self.table = table
    self.approvals = approvals
  }

  /// Whether the user is asked although the opener forbids questions: without a question, an iOS application could
  /// probe unnoticed which schemes have handlers (R3.3, R4.15).
  /// - Parameter caller: nil when the opener is no iOS application.
  package static func isAsked(isInteractive: Bool, by caller: SandboxedCaller?) -> Bool {
    isInteractive || caller != nil
  }

  package struct Situation: Hashable, Sendable {
    package var scheme: URLScheme
    /// The application whose declaration determines the rules for the opener; nil without one.
    package var opener: InstalledApplication?
    package var origin: ConfirmationTable.Origin
    package var handler: Receiver
    /// Whether the setting `CallsFrom` has chosen the handler.
    package let isHandoff: Bool
    /// Set when a remote or an outsider opens.
    package var remote: Remote?

    package struct Remote: Hashable, Sendable {
      /// Nil for an outsider.
      package let name: RemoteName?
      /// The user's choice for the scheme.
      package let choice: RemoteRights.Choice
      /// False when the URL leads, or may lead, to this machine or into the local network.
      package let hasPublicHost: Bool

      /// Whether the user is asked, unless a setting or a remembered answer settles that.
      var needsAnswer: Bool { choice != .allow || !hasPublicHost }
    }

    package init(
      scheme: URLScheme, opener: InstalledApplication?, origin: ConfirmationTable.Origin,
      handler: Receiver, isHandoff: Bool = false
    ) {
      self.scheme = scheme
      self.opener = opener
      self.origin = origin
      self.handler = handler
      self.isHandoff = isHandoff
    }

    package init(
      scheme: URLScheme, remote: Remote, handler: Receiver, isHandoff: Bool = false
    ) {
      self.init(
        scheme: scheme, opener: nil, origin: .remote, handler: handler, isHandoff: isHandoff)
      self.remote = remote
    }

    package var key: Approvals.Key {
      let opener =
        opener.map { Approvals.Opener.application($0.identifier) }
        ?? remote.map { $0.name.map(Approvals.Opener.remote) ?? .web }
        ?? (origin == .web ? .web : .unidentified)
      return Approvals.Key(opener: opener, scheme: scheme, handler: handler.identifier)
    }

    var trigger: ConfirmationTable.Trigger {
      .init(scheme, handler: handler, isHandoff: isHandoff)
    }

    package var row: ConfirmationTable.Row {
      ConfirmationTable.row(trigger, origin, .init(opener?.declaration))
    }

    /// Whether the answer may be remembered for later opens.
    package var remembersAnswer: Bool {
      // An answer for one private host does not count for others.
      canBeSettled && remote?.hasPublicHost != false && handler.failure == nil
    }

    /// Whether answers for such opens can be remembered at all.
    fileprivate var canBeSettled: Bool {
      // A call by a device is still a call.
      [trigger, ConfirmationTable.Trigger(scheme) ?? trigger].allSatisfy {
        ConfirmationTable.remembersAnswers($0, .init(opener?.declaration))
      }
    }
  }

  /// A decision. `description` is its reason.
  package enum Decision: Hashable, Sendable, CustomStringConvertible {
    case allowed
    case proceed(row: String)
    /// The user has allowed the remote the scheme. Nil stands for outsiders.
    case permitted(RemoteName?, URLScheme)
    case ask(row: String)
    case decline(Approvals.Key)

    package var description: String {
      switch self {
      case .allowed: "allowed by a remembered answer"
      case .proceed(let row): "the user is not asked (row \(row) of the setting Confirmations)"
      case .permitted(nil, let scheme):
        "the user is not asked: programs outside of the session may open \(scheme) URLs"
      case .permitted(let remote?, let scheme):
        "the user is not asked: \(remote) may open \(scheme) URLs (lsregister remote list)"
      case .ask(let row): "the user is asked (row \(row) of the setting Confirmations)"
      case .decline(let key):
        "the user has declined that \(key.opener.inWords) opens \(key.scheme) URLs with \(key.handler); see:"
          + " lsregister approvals list"
      }
    }
  }

  /// Decides about the open. A remembered refusal also applies where the user would not be asked.
  package func decide(_ situation: Situation) -> Decision {
    switch situation.canBeSettled && situation.handler.failure == nil
      ? approvals[situation.key] : nil
    {
    case false?: return .decline(situation.key)
    case true? where situation.remembersAnswer: return .allowed
    case true?, nil:
      if let remote = situation.remote, !remote.needsAnswer {
        return .permitted(remote.name, situation.scheme)
      }
      let row = situation.row
      return table.asks(row) ? .ask(row: row.name) : .proceed(row: row.name)
    }
  }
}

extension ConfirmationRule {
  /// The reason why an answer cannot be remembered, yes or no, a sentence without its full stop; nil when it can.
  package static func objection(
    toRemembering key: Approvals.Key, in registry: Registry
  ) -> String? {
    if let swapped = swapped(key, in: registry) { return swapped }
    guard let trigger = ConfirmationTable.Trigger(key.scheme) else { return nil }
    var opener: ApplicationDeclaration?
    if case .application(let identifier) = key.opener {
      opener = registry.application(identifier)?.declaration
    }
    let profile = ConfirmationTable.Profile(opener)
    guard !ConfirmationTable.remembersAnswers(trigger, profile) else { return nil }
    let profiles = key.opener == .anybody ? ConfirmationTable.Profile.allCases : [profile]
    let rows = ConfirmationTable.askingEachTime(trigger, profiles, key.opener.origins).map(\.name)
    let remedy =
      rows.isEmpty
      ? "the user is not asked about such an open"
      : "the \(rows.count == 1 ? "row" : "rows") \(rows.joined(separator: " and ")) of the setting"
        + " Confirmations can switch the question off"
    switch trigger {
    case .telephone: return "answers about \(key.scheme) are never remembered; \(remedy)"
    case .faceTime, .store, .system, .custom, .device, .handoff:
      return "answers about \(key.scheme) from macOS are never remembered; \(remedy); for an iOS"
        + " application name it with --opener"
    }
  }

  /// The reason why the scheme and the handler are in each other's place; nil unless this is certain: schemes may
  /// look like identifiers, and identifiers like schemes, and the handler may be registered later.
  private static func swapped(_ key: Approvals.Key, in registry: Registry) -> String? {
    guard !registry.isInstalled(key.handler), let identifier = BundleIdentifier(key.scheme.text),
      let scheme = URLScheme(key.handler.text),
      let application = registry.application(identifier)?.declaration,
      application.urlTypes.contains(where: { $0.schemes.contains(scheme) })
    else { return nil }
    let name = application.identifier
    return "\(name) is an application, and \(scheme) is its scheme: the scheme comes first:"
      + " \(scheme) \(name)"
  }
}
