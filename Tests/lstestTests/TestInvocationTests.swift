import Commands
import Reports
import Testing

@testable import lstest

struct TestInvocationTests {
  @Test func wordsAfterTheDashesAreACommandOfTheShell() throws {
    let shell = try TestInvocation(["shell", "a.json", "--no-bus", "--", "lsopen", "--json", "x:1"])
    #expect(shell.action == .shell(["a.json"], command: ["lsopen", "--json", "x:1"]))
    #expect(!shell.hasBus)
    #expect(try TestInvocation(["run", "--", "-odd.json"]).action == .run(["-odd.json"]))
  }

  @Test func optionsBelongToVerbs() throws {
    let run = try TestInvocation(["run", "-f", "junit", "-o", "r.xml", "--define", "A=1=2", "x"])
    #expect(run.format == .junit)
    #expect(run.output == "r.xml")
    #expect(run.definitions == ["A": "1=2"])
    #expect(
      throws: CommandFailure.usage(
        "--format does not belong to init; write: lstest init [OPTION]... PATH")
    ) { try TestInvocation(["init", "x", "--format", "tap"]) }
  }

  @Test func whatSourceTreesDoNotHaveIsABuildVariable() throws {
    let run = try TestInvocation([
      "run", "--team", "T123", "--sdk", "26.0", "--platform", "macos", "x",
    ])
    #expect(
      run.definitions == [
        "DEVELOPMENT_TEAM": "T123", "SDK_NAME": "macosx26.0", "PLATFORM_NAME": "macosx",
      ])
  }

  @Test(
    "wrong command lines say what is right",
    arguments: [
      ([], "name a verb: run, check, shell, init, shims"),
      (["start"], "'start' is not a verb; the verbs are run, check, shell, init, shims"),
      (
        ["run"],
        "these arguments are not valid; write: lstest run [OPTION]... (FILE | FOLDER | PATTERN)..."
      ),
      (["shims", "x"], "these arguments are not valid; write: lstest shims"),
      (
        ["run", "--team", "a b", "x"],
        "option '--team' takes letters and digits, such as ABCDE12345, not 'a b'"
      ),
      (["run", "-f", "xml", "x"], "--format: 'xml' is none of text, tap, junit or github"),
    ]) func wrong(_ arguments: [String], _ reason: String)
  {
    #expect(throws: CommandFailure.usage(reason)) { try TestInvocation(arguments) }
  }
}
