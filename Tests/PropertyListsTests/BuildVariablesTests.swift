import Testing

@testable import PropertyLists

@Suite struct `Build variables` {
  let variables = BuildVariables([
    "A": "Some App 7.x", "B": "$(A)", "EMPTY": "", "LOOP": "$(LOOP)", "PING": "$(PONG)",
    "PONG": "$(PING)", "DIGIT": "7up.x_y", "FLAVOR": "BETA", "ICON_BETA": "$(A:lower)",
    "NAME": "FLAVOR",
  ])

  @Test(
    "are expanded as Xcode does",
    arguments: [
      ("$(A)", "Some App 7.x"), ("${A}", "Some App 7.x"),
      ("x$(A)y${A}z", "xSome App 7.xySome App 7.xz"),
      ("$(B)", "Some App 7.x"), ("$(A:lower)", "some app 7.x"), ("$(A:upper)", "SOME APP 7.X"),
      ("$(A:rfc1034identifier)", "Some-App-7-x"), ("$(DIGIT:rfc1034identifier)", "-up-x-y"),
      ("$(A:lower:rfc1034identifier)", "some-app-7-x"), ("$(DIGIT:identifier)", "_up_x_y"),
      ("$(DIGIT:c99extidentifier)", "_up_x_y"), ("$(A:unknown)", "Some App 7.x"),
      ("$(NONE:default=x)", "x"), ("$(EMPTY:default=x)", "x"), ("$(A:default=x)", "Some App 7.x"),
      ("$(NONE:default=$(A))", "Some App 7.x"), ("$(NONE:default=${A})", "Some App 7.x"),
      ("$(NONE:default=$(ALSO:default=deep))", "deep"), ("$(NONE:default=)", ""),
      ("$(NONE:default=Big One:lower)", "big one"), ("$(EMPTY)", ""),
      ("$(ICON_$(FLAVOR))", "some app 7.x"), ("${ICON_$($(NAME))}", "some app 7.x"),
      ("no variables", "no variables"),
      ("cost: $5 $ $( $() $(a b) $", "cost: $5 $ $( $() $(a b) $"), ("$(A", "$(A"),
      ("$(A}", "$(A}"),
      ("", ""),
    ])
  func expand(_ text: String, _ expected: String) {
    #expect(variables.expand(text) == BuildVariables.Expansion(text: expected, unresolved: []))
  }

  @Test(
    "without a value stay as written and are named",
    arguments: [
      ("$(X)", "$(X)", ["X"]), ("a.${X}.$(Y).$(X:lower)", "a.${X}.$(Y).$(X:lower)", ["X", "Y"]),
      ("$(X).$(A)", "$(X).Some App 7.x", ["X"]), ("$(X:default=$(Y))", "$(Y)", ["Y"]),
      ("$(LOGO_$(FLAVOR))", "$(LOGO_BETA)", ["LOGO_BETA"]),
      ("$(LOGO_$(X))", "$(LOGO_$(X))", ["X"]),
    ])
  func unresolved(_ text: String, _ expected: String, _ names: [String]) {
    #expect(variables.expand(text) == BuildVariables.Expansion(text: expected, unresolved: names))
  }

  @Test(
    "whose values refer to each other stay as written, and the cycle is named",
    arguments: [
      ("$(LOOP)", "$(LOOP)", ["LOOP"], [["LOOP"]]),
      ("$(PING)", "$(PING)", ["PING"], [["PING", "PONG"]]),
      (
        "$(PONG).$(X).$(LOOP)", "$(PONG).$(X).$(LOOP)", ["PONG", "X", "LOOP"],
        [["PONG", "PING"], ["LOOP"]]
      ),
    ])
  func cycles(_ text: String, _ expected: String, _ names: [String], _ cycles: [[String]]) {
    #expect(
      variables.expand(text)
        == BuildVariables.Expansion(text: expected, unresolved: names, cycles: cycles))
  }

  @Test func `that double at every level come to an end`() {
    var definitions = ["V0": "x"]
    for level in 1...30 { definitions["V\(level)"] = "$(V\(level - 1))$(V\(level - 1))" }
    let expansion = BuildVariables(definitions).expand("$(V30)")
    #expect(expansion.text.utf8.count < 100_000)
    #expect(expansion.unresolved == ["V30"])
    #expect(
      expansion.unresolvedPhrase
        == "the build variable V30 with more than 1000 references to other variables, or references nested more than"
        + " 8 deep")
    #expect(expansion.remedy == "give V30 a value with fewer references")
  }

  @Test func `in ten thousand nested defaults come to an end`() {
    let count = 10_000
    let text =
      String(repeating: "$(X:default=", count: count) + String(repeating: ")", count: count)
    #expect(variables.expand(text).unresolved == ["X"])
  }

  @Test func `come from arguments, of which the last counts`() throws {
    let variables = try BuildVariables(arguments: ["A=1", "B=x=y", "A=2", "EMPTY="])
    #expect(variables.expand("$(A) $(B) $(EMPTY)").text == "2 x=y ")
  }

  @Test("refuse other arguments by name", arguments: ["A", "=1", "", "A B=1", "A-B=1", "é=1"])
  func refuse(_ argument: String) {
    #expect(throws: BuildVariables.InvalidDefinition(argument: argument)) {
      try BuildVariables(arguments: ["OK=1", argument])
    }
  }

  @Test func `say how a definition is written`() {
    let description = BuildVariables.InvalidDefinition(argument: "FOO").description
    #expect(
      description
        == "\"FOO\" does not define a build variable; write NAME=VALUE, where NAME contains letters, "
        + "digits and \"_\", such as PRODUCT_BUNDLE_IDENTIFIER=com.example.app")
  }
}
