internal import Commands

/// The options of `lsregister`.
enum RegisterFlag: CommandOption {
  case define, registry, unset, dot, coreTypes, opener, allow, all, json, completions, help, version

  var spelling: OptionSpelling {
    switch self {
    case .define:
      .init(
        "define", .one("NAME=VALUE"), help: "set the value of a build variable; may be repeated")
    case .registry:
      .init(
        "registry",
        help:
          "also compare with the registered applications: which claim the same schemes, and which"
          + " would receive the URLs"
      )
    case .unset: .init("unset", help: "remove the user's choice")
    case .all: .init("all", help: "apply to every exported scheme")
    case .dot: .init("dot", help: "print a graph of schemes, types and domains for Graphviz")
    case .coreTypes:
      .init("core-types", help: "also print the types of Core Types, such as public.png")
    case .opener:
      .init(
        "opener", .one("ID"),
        help: "select the opener: an application, @web, @unidentified, or * for all openers")
    case .allow:
      .init(
        "allow", .one("SCHEME"),
        help: "let the remote open URLs of SCHEME without a question; may be repeated")
    case .json: .init("json", help: "print the answer as one line of JSON")
    case .completions:
      .init(
        "completions", .one("SHELL"), help: "print the completions for bash, zsh or fish",
        isHidden: true)
    case .help: .init("help", short: "h", help: "print this help text, or the help text of VERB")
    case .version: .init("version", help: "print the version")
    }
  }
}
