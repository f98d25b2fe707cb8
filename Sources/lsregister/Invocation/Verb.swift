internal import Commands

/// The verbs of `lsregister`.
enum Verb: String, CaseIterable {
  case add, remove, list, show, apps, handlers, `default`, type, lint, dump, reload, monitor
  case approvals, desktop, handover, `guard`, links, remote, devices

  /// The syntax of the verb with its arguments.
  var synopsis: String {
    switch self {
    case .add: "add [--stub] [--xcode PROJECT] [PATH...]"
    case .remove: "remove (ID | PATH)..."
    case .list: "list"
    case .show: "show ID"
    case .apps: "apps"
    case .handlers: "handlers (SCHEME | TYPE | FILE)"
    case .default: "default (SCHEME | TYPE | FILE) [ID | --unset]"
    case .type: "type FILE"
    case .lint: "lint [--registry] [--xcode PROJECT] [PATH...]"
    case .dump: "dump [--core-types | --dot]"
    case .reload: "reload"
    case .monitor: "monitor"
    case .desktop: "desktop (enable [SCHEME... | --all] | disable [SCHEME...] | status)"
    case .handover: "handover [ID [default | none | WAY PLACE...]]"
    case .guard:
      "guard [on [POLICY] | off | changes | (undo | keep) N | (allow | disallow) ID]"
    case .links: "links ACTION [ARGUMENT]..."
    case .remote: "remote ACTION [ARGUMENT]... [--allow SCHEME]..."
    case .devices: "devices"
    case .approvals: "approvals [ACTION [ARGUMENT]...] [--opener ID]"
    }
  }

  /// All forms of the verb.
  var usage: [String] {
    switch self {
    case .links:
      LinksInvocation.Verb.allCases.flatMap(\.forms)
    case .remote: RemoteInvocation.Verb.allCases.map(\.synopsis)
    case .approvals:
      [
        "approvals [list]", "approvals (allow | deny) SCHEME ID [--opener ID]",
        "approvals reset [SCHEME [ID]] [--opener ID]", "approvals (import | export) FILE",
      ]
    case .desktop:
      ["desktop enable [SCHEME... | --all]", "desktop disable [SCHEME...]", "desktop status"]
    case .guard:
      [
        "guard [status]", "guard on [notice | restore]", "guard off", "guard changes",
        "guard (undo | keep) N",
        "guard (allow | disallow) ID",
      ]
    default: [synopsis]
    }
  }

  var summary: String {
    switch self {
    case .add: "register bundles or property lists"
    case .remove: "unregister applications that were registered with add"
    case .list: "list the registered applications"
    case .show: "show all details of one application"
    case .apps: "list the running applications"
    case .handlers: "list the applications that can handle a scheme or open a type of files"
    case .default: "print or choose the default application for a scheme, a type or a file"
    case .type: "print the type of a file"
    case .lint: "check property lists and association files; only --registry requires the daemon"
    case .dump: "show all details of all applications"
    case .reload: "read the application folders again"
    case .approvals: "list or change the remembered answers of the user"
    case .monitor: "print the result of each open until interrupted"
    case .desktop: "exchange handlers with desktop applications (freedesktop)"
    case .handover: "print or choose how running desktop applications get URLs"
    case .guard: "notice or take back what other programs change in your default applications"
    case .links: "list, test and change universal links"
    case .remote: "let other machines and containers open URLs here"
    case .devices: "list the devices that URLs can be handed over to"
    }
  }

  private static let buildFlags: [RegisterFlag] = [
    .define, .xcconfig, .xcode, .target, .configuration, .team, .sdk, .platform,
  ]

  /// The options of the verb.
  var flags: [RegisterFlag] {
    switch self {
    case .add: Self.buildFlags + [.stub, .behaviour, .json, .help]
    case .lint:
      Self.buildFlags + [.registry, .strict, .format, .showBuildSettings, .json, .help]
    case .default: [.unset, .json, .help]
    case .desktop: [.all, .json, .help]
    case .approvals: [.opener, .json, .help]
    case .remote: [.allow, .json, .help]
    case .dump: [.coreTypes, .dot, .json, .help]
    case .remove, .list, .show, .apps, .handlers, .type, .reload, .monitor, .links,
      .handover, .guard, .devices:
      [.json, .help]
    }
  }
}
