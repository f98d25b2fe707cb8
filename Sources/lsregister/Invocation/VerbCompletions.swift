internal import Commands
internal import LaunchRules

extension Verb {
  /// The operands of the verb, for completions.
  var completedOperands: CompletedOperands {
    switch self {
    case .add, .lint, .type: CompletedOperands([.path])
    case .remove: CompletedOperands([.application, .path])
    case .show: CompletedOperands([.application], [])
    case .handlers: CompletedOperands([.scheme, .path], [])
    case .default: CompletedOperands([.scheme, .path], [.application], [])
    case .handover:
      CompletedOperands(
        [.application], [.words(["default", "none"] + HandOverProtocol.allCases.map(\.rawValue))],
        [])
    case .desktop:
      .actions(
        DesktopVerb.allCases.map { ($0.rawValue, $0 == .status ? [] : [[.scheme]]) })
    case .guard:
      .actions([
        ("status", []), ("on", [[.words(["notice", "restore"])], []]), ("off", []),
        ("changes", []), ("undo", []), ("keep", []), ("allow", [[.application], []]),
        ("disallow", [[.application], []]),
      ])
    case .links:
      .actions(LinksInvocation.Verb.allCases.map { ($0.rawValue, $0.completedPlaces) })
    case .remote:
      .actions(RemoteInvocation.Verb.allCases.map { ($0.rawValue, $0.completedPlaces) })
    case .approvals:
      .actions([
        ("list", []), ("allow", [[.scheme], [.application], []]),
        ("deny", [[.scheme], [.application], []]), ("reset", [[.scheme], [.application], []]),
        ("import", [[.path], []]), ("export", [[.path], []]),
      ])
    case .list, .apps, .dump, .reload, .monitor, .devices: CompletedOperands()
    }
  }
}

extension LinksInvocation.Verb {
  fileprivate var completedPlaces: [[CompletedWord]] {
    switch self {
    case .add: [[], [.path], []]
    case .choose: [[.application], [], [.words(["application", "browser", "unspecified"])], []]
    case .list, .verify, .dump, .remove, .refresh: []
    }
  }
}

extension RemoteInvocation.Verb {
  fileprivate var completedPlaces: [[CompletedWord]] {
    switch self {
    case .list, .add: []
    case .remove, .allowCallback, .denyCallback: [[.remote], []]
    case .allow, .ask, .deny, .send, .keep: [[.remote], [.scheme]]
    }
  }
}
