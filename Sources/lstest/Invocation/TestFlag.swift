internal import Commands
internal import Reports

/// The options of `lstest`.
enum TestFlag: CommandOption {
  case define, team, sdk, platform, format, output, noBus, explain, keep, completions, help, version

  var spelling: OptionSpelling {
    switch self {
    case .define:
      .init(
        "define", .one("NAME=VALUE"),
        help: "set a build variable of all applications; may be repeated")
    case .team:
      .init("team", .one("TEAM"), help: "the team of all applications, such as ABCDE12345")
    case .sdk:
      .init(
        "sdk", .one("SDK"),
        help: "the SDK of all applications: iphoneos26.0, macosx15.0 or 26.0")
    case .platform:
      .init(
        "platform", .one("PLATFORM"), help: "the platform of all applications: ios or macos",
        offers: [.words(["ios", "macos"])])
    case .format:
      .init(
        "format", short: "f", .one("FORMAT"),
        help: "print the results as \(ReportFormat.names) (default: text)",
        offers: [.words(ReportFormat.allCases.map(\.rawValue))])
    case .output:
      .init(
        "output", short: "o", .one("PATH"),
        help: "write the results to the file PATH, and print them as text as well")
    case .noBus:
      .init(
        "no-bus", help: "use no message bus, as where dbus-daemon is not installed")
    case .explain:
      .init("explain", help: "print each step of each decision, also of steps that pass")
    case .keep:
      .init("keep", help: "keep the folder with the files of each world, and print its path")
    case .completions: .completions
    case .help: .init("help", short: "h", help: "print this text")
    case .version: .version
    }
  }
}

/// The verbs of `lstest`.
enum TestVerb: String, CaseIterable {
  case run, check, shell, `init`, shims

  var synopsis: String {
    switch self {
    case .run: "run [OPTION]... (FILE | FOLDER | PATTERN)..."
    case .check: "check [OPTION]... (FILE | FOLDER | PATTERN)..."
    case .shell: "shell [OPTION]... [FILE]... [-- COMMAND [ARGUMENT]...]"
    case .`init`: "init [OPTION]... PATH"
    case .shims: "shims"
    }
  }

  var summary: String {
    switch self {
    case .run: "run scenarios; of a folder, all files that end in .lstest.json or .lstest.plist"
    case .check: "check that scenarios are valid, and run nothing"
    case .shell: "start a shell, or COMMAND, in a world with the applications of the scenarios"
    case .`init`:
      "print a scenario for the property list, application or source tree at PATH"
    case .shims: "print the folder with xcrun and adb, for the PATH of scripts that call them"
    }
  }

  /// What the property lists of source trees do not have.
  private static let build: [TestFlag] = [.define, .team, .sdk, .platform]

  var flags: [TestFlag] {
    switch self {
    case .run: Self.build + [.format, .output, .noBus, .explain, .keep, .help]
    case .check: Self.build + [.format, .output, .help]
    case .shell: Self.build + [.noBus, .keep, .help]
    case .`init`: Self.build + [.output, .help]
    case .shims: [.help]
    }
  }
}
