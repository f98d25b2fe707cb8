internal import Host
package import LaunchRules
internal import ProcessSupervision

/// The caller of a method, with the facts about its process.
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

  /// Path of the caller's executable, for the log; "?" when the executable cannot be read.
  package var program: String { facts.executable?.path ?? "?" }

  /// The name of the caller in the log and the history.
  package var recordedName: String {
    switch caller {
    case .application(let identifier, _): identifier.text
    case .remote(let name): name.callerName
    case .outsider(let outsider): outsider.recordedName(program)
    case .orphan, .unidentified: program
    }
  }

  /// The key of the caller's share of the record: its groups, outermost first, and the caller itself.
  package var origin: String {
    let owners = groups.last == share ? groups : groups + [share]
    return owners.map(\.recordKey).joined(separator: "\n")
  }

  /// The share for the limits of the caller: its application with all processes, otherwise its process.
  package var share: LoadOwner {
    if case .application(let identifier, _) = caller { return .application(identifier) }
    return facts.share
  }

  /// The groups with a common limit, outermost first: the application; or the unit and each ancestor process, which do
  /// not change when the process begins a session or a process group. Processes whose parents have ended form one group,
  /// so that a process gains nothing by leaving its parent.
  package var groups: [LoadOwner] {
    if case .application(let identifier, _) = caller { return [.application(identifier)] }
    if let remote = facts.remote { return [.remote(remote)] }
    return facts.groups
  }

  /// The scope of the identifiers of the caller's requests: its confinement at the first request with an identifier on the
  /// connection. Otherwise a process that repeats a request, after its program was registered or unregistered, would not
  /// find the first one.
  package func requestScope(in registry: Registry) -> String? {
    facts.requestScope.keep(confinement(in: registry))
  }

  /// The scope of requests of a sandboxed application, a remote or outsiders, which hides them from other callers; nil
  /// for the user's own programs, which share one scope. "?" for an unknown application.
  package func confinement(in registry: Registry) -> String? {
    switch caller {
    case .remote(let name): name.callerName
    case .outsider: facts.flatpak?.text ?? "outsider"
    case .application, .orphan, .unidentified:
      registry.sandboxed(caller).map { $0.identifier?.text ?? "?" } ?? facts.flatpak?.text
    }
  }
}
