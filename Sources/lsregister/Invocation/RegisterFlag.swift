internal import Commands

/// The options of `lsregister`.
enum RegisterFlag: CommandOption {
  case define, registry, unset, dot, opener, all, json, completions, help, version

  var spelling: OptionSpelling {
    switch self {
    case .define:
      .init(
        "define", .one("NAME=VALUE"), help: "the value of a build variable; may be repeated")
    case .registry:
      .init(
        "registry",
        help: "also say what the daemon knows: who else claims a scheme, and who would get it")
    case .unset: .init("unset", help: "take back the user's choice")
    case .all: .init("all", help: "for every scheme that is exported")
    case .dot: .init("dot", help: "print a graph of schemes, types and domains for Graphviz")
    case .opener:
      .init(
        "opener", .one("ID"),
        help: "whose opens: an application, @web, @unidentified, or * for anybody")
    case .json: .init("json", help: "print the answer as one line of JSON")
    case .completions:
      .init(
        "completions", .one("SHELL"), help: "print the completions for bash, zsh or fish",
        isHidden: true)
    case .help: .init("help", short: "h", help: "print this text, or that of VERB")
    case .version: .init("version", help: "print the version")
    }
  }
}
