import Testing

@testable import Commands

@Suite struct ArgumentParsingTests {
  enum Sample: CommandOption {
    case new, background, application, rest

    var spelling: OptionSpelling {
      switch self {
      case .new: .init("new", short: "n", help: "")
      case .background: .init("background", short: "g", help: "")
      case .application: .init("application", short: "b", .one("ID"), help: "")
      case .rest: .init("args", .rest("ARGUMENT..."), help: "")
      }
    }
  }

  typealias Parsed = Argument<Sample>

  static let understood: [([String], [Parsed])] = [
    ([], []),
    (["x:1", "--new", "y"], [.operand("x:1"), .option(.new, ""), .operand("y")]),
    (["--application", "com.a"], [.option(.application, "com.a")]),
    (["--application=com.a"], [.option(.application, "com.a")]),
    (["--application=a=b"], [.option(.application, "a=b")]),
    (["--application="], [.option(.application, "")]),
    (["--application", "--new"], [.option(.application, "--new")]),
    (["-b", "com.a"], [.option(.application, "com.a")]),
    (["-bcom.a"], [.option(.application, "com.a")]),
    (["-ng"], [.option(.new, ""), .option(.background, "")]),
    (
      ["-ngb", "com.a"],
      [.option(.new, ""), .option(.background, ""), .option(.application, "com.a")]
    ),
    (["-nbg"], [.option(.new, ""), .option(.application, "g")]),
    (["--", "-n", "--"], [.operand("-n"), .operand("--")]),
    (["-"], [.operand("-")]),
    ([""], [.operand("")]),
    (
      ["--args", "-n", "--", "x"],
      [.option(.rest, "-n"), .option(.rest, "--"), .option(.rest, "x")]
    ),
    (["--args"], []),
  ]

  @Test("R7.2 options as GNU commands write them", arguments: understood)
  func understands(arguments: [String], parsed: [Parsed]) throws {
    #expect(try Parsed.parse(arguments) == parsed)
  }

  static let refused: [([String], String)] = [
    (["--bogus"], "option '--bogus' is not known"),
    (["--bogus=1"], "option '--bogus' is not known"),
    (["--ne"], "option '--ne' is not known"),
    (["-x"], "option '-x' is not known"),
    (["-nx"], "option '-x' is not known"),
    (["-é"], "option '-é' is not known"),
    (["--application"], "option '--application' needs a value: ID"),
    (["-b"], "option '-b' needs a value: ID"),
    (["-nb"], "option '-b' needs a value: ID"),
    (["--new=1"], "option '--new' takes no value"),
    (["--args=1"], "option '--args' takes the arguments after it, no value"),
  ]

  @Test("a wrong option is named", arguments: refused)
  func refuses(arguments: [String], reason: String) {
    #expect(throws: CommandFailure(.usage, reason)) { try Parsed.parse(arguments) }
  }

  @Test("NAME=VALUE is split at the first sign")
  func splitsDefinitions() throws {
    let definition = try #require(splitDefinition("NAME=a=b"))
    #expect(definition.name == "NAME")
    #expect(definition.value == "a=b")
    #expect(splitDefinition("NAME") == nil)
    #expect(splitDefinition("=b") == nil)
  }
}
