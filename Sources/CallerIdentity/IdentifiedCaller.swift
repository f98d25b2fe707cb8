internal import Glibc
internal import Host
package import LaunchRules
internal import ProcessSupervision

/// The caller of a method, with the facts about the process behind its connection.
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

  /// The name of the caller in the log and the history.
  package var recordedName: String {
    if case .application(let identifier, _) = caller { return identifier.text }
    return program
  }

  /// The key of its share of the record: an application, a unit, or the programs of one session.
  package var origin: String {
    guard case .unidentified = caller else { return recordedName }
    return "\(recordedName) \(facts.unit ?? "") \(facts.session.number)"
  }

  /// The key of the limits that apply: its application with all processes, otherwise its process.
  package var share: String {
    if case .application(let identifier, _) = caller { return identifier.text }
    return facts.share
  }

  /// Those with whom it shares what many processes of one origin may take together: all processes of its application or
  /// unit, else all that descend from one of the processes above it. Processes that nobody is above are one group, so
  /// that who leaves its parent does not get more.
  package var groups: [String] {
    if case .application(let identifier, _) = caller { return [identifier.text] }
    if let unit = facts.unit { return [unit] }
    let above = facts.lineage.dropFirst().prefix { $0.pid > 1 && $0.pid != getpid() }
    if above.isEmpty { return ["orphans"] }
    return above.suffix(Self.mostGroups).map { "process \($0.pid) \($0.startTime)" }
  }

  /// The outermost are what nobody escapes by having more processes between.
  private static let mostGroups = 64

  /// The sandboxed application whose requests are separate, so that no other caller finds them; nil for the user's own
  /// programs, which have a common scope. An unknown application is "?".
  package func confinement(in registry: Registry) -> String? {
    registry.sandboxed(caller).map { $0.identifier?.text ?? "?" } ?? facts.flatpak?.text
  }
}
