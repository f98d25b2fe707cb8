internal import Host
package import LaunchRules
internal import ProcessSupervision

/// The caller of a method, and what is known of the process behind its connection.
package struct IdentifiedCaller {
  package let caller: Caller
  /// The unique name of the connection.
  package let connection: String
  package let facts: CallerTable.Facts

  package init(_ caller: Caller, on connection: String, _ facts: CallerTable.Facts) {
    self.caller = caller
    self.connection = connection
    self.facts = facts
  }

  /// The path of its program, for the log; "?" when it cannot be read.
  package var program: String { facts.executable?.path ?? "?" }

  /// What the log and the history call it.
  package var recordedName: String {
    if case .application(let identifier, _) = caller { return identifier.text }
    return program
  }

  /// Whose share of the record its requests use: that of an application, a unit, or the programs of one session.
  package var origin: String {
    guard case .unidentified = caller else { return recordedName }
    return "\(recordedName) \(facts.unit ?? "") \(facts.session.number)"
  }

  /// Whose share of what is limited it uses: that of its application with all processes, else that of its process.
  package var share: String {
    if case .application(let identifier, _) = caller { return identifier.text }
    return facts.share
  }

  /// The application that has its requests for itself, so that no other asks about them; nil for the user's own
  /// programs, which share them. An application that is not known is "?".
  package func confinement(in registry: Registry) -> String? {
    registry.sandboxed(caller).map { $0.identifier?.text ?? "?" } ?? facts.flatpak?.text
  }
}
