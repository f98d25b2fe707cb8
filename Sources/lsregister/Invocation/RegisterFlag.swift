internal import Commands

/// The options of `lsregister`.
enum RegisterFlag: CommandOption {
  case define, xcconfig, xcode, target, configuration, team, sdk, platform
  case stub, behaviour
  case registry, strict, format, showBuildSettings
  case unset, dot, coreTypes, opener, allow, all, json, completions, help, version

  var spelling: OptionSpelling {
    switch self {
    case .define:
      .init(
        "define", .one("NAME=VALUE"), help: "set the value of a build variable; may be repeated")
    case .xcconfig:
      .init(
        "xcconfig", .one("FILE"), help: "read build variables from FILE; may be repeated")
    case .xcode:
      .init(
        "xcode", .one("PROJECT"),
        help:
          "read build variables, and the property list unless PATH is given, from NAME.xcodeproj")
    case .target:
      .init("target", .one("NAME"), help: "the target of PROJECT; needed if it has several")
    case .configuration:
      .init(
        "configuration", .one("NAME"),
        help: "the configuration of PROJECT, such as Debug; by default the project's")
    case .team:
      .init("team", .one("TEAM"), help: "the team of the application, such as ABCDE12345")
    case .sdk:
      .init(
        "sdk", .one("SDK"),
        help: "the SDK that the application is linked with: iphoneos26.0, macosx15.0 or 26.0")
    case .platform:
      .init(
        "platform", .one("PLATFORM"), help: "the rules that apply: ios or macos",
        offers: [.words(["ios", "macos"])])
    case .stub:
      .init("stub", help: "register a stand-in as the program, which prints what it gets")
    case .behaviour:
      .init(
        "behaviour", .one("WORDS"),
        help:
          "what the stand-in does: veto, hang-at-launch, crash-at-launch, accept, refuse, hang, crash"
      )
    case .strict: .init("strict", help: "fail on warnings, too")
    case .format:
      .init(
        "format", .one("FORMAT"), help: "print text, json, junit, tap or github annotations",
        offers: [.words(["text", "json", "junit", "tap", "github"])])
    case .showBuildSettings:
      .init(
        "show-build-settings",
        help: "also print each build variable that is used, with the file and line of its value")
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
        help:
          "select the opener: an application, remote:NAME, @web, @unidentified, or * for all openers"
      )
    case .allow:
      .init(
        "allow", .one("SCHEME"),
        help: "let the remote open URLs of SCHEME without a question; may be repeated")
    case .json: .init("json", help: "print the answer as one line of JSON")
    case .completions: .completions
    case .help: .init("help", short: "h", help: "print this help text, or the help text of VERB")
    case .version: .version
    }
  }
}
