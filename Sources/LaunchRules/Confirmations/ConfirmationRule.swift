/// Decides whether an open waits for the user.
package struct ConfirmationRule: Hashable, Sendable {
  package var table: ConfirmationTable
  package var approvals: Approvals

  package init(table: ConfirmationTable = ConfirmationTable(), approvals: Approvals = Approvals()) {
    self.table = table
    self.approvals = approvals
  }

  package struct Situation: Hashable, Sendable {
    package var scheme: URLScheme
    /// The application whose declaration says how the opener is treated; nil when there is none.
    package var opener: InstalledApplication?
    package var origin: ConfirmationTable.Origin
    package var handler: InstalledApplication

    package init(
      scheme: URLScheme, opener: InstalledApplication?, origin: ConfirmationTable.Origin,
      handler: InstalledApplication
    ) {
      self.scheme = scheme
      self.opener = opener
      self.origin = origin
      self.handler = handler
    }

    package var key: Approvals.Key {
      let opener =
        opener.map { Approvals.Opener.application($0.identifier) }
        ?? (origin == .web ? .web : .unidentified)
      return Approvals.Key(opener: opener, scheme: scheme, handler: handler.identifier)
    }

    package var row: ConfirmationTable.Row {
      ConfirmationTable.row(
        .init(scheme, handler: handler), origin, .init(opener?.declaration))
    }
  }

  package enum Decision: Hashable, Sendable {
    case proceed(String)
    case ask(String)
    case decline(String)
  }

  /// With the reason, for people. A remembered no counts also where nobody would be asked.
  package func decide(_ situation: Situation) -> Decision {
    let row = situation.row
    switch approvals[situation.key] {
    case false?:
      return .decline(
        "the user has declined that \(situation.key.opener) opens \(situation.scheme) URLs with"
          + " \(situation.handler.identifier); see: lsregister approvals list")
    case true?: return .proceed("allowed by a remembered answer")
    case nil:
      return table.asks(row)
        ? .ask("the user is asked (\(row.name))") : .proceed("nobody is asked (\(row.name))")
    }
  }
}
