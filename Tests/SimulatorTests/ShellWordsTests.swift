import Testing

@testable import launchservices_simulator

@Suite struct ShellWordsTests {
  @Test(
    "words are split as the shell of a device splits them",
    arguments: [
      ("am start -d x:y", ["am", "start", "-d", "x:y"]),
      ("a 'x:y?a=1&b=2'", ["a", "x:y?a=1&b=2"]), (#"a x:y?a=1\&b=2"#, ["a", "x:y?a=1&b=2"]),
      (#"a "b \"c\" \d""#, ["a", #"b "c" \d"#]), ("  a   ''  ", ["a", ""]), ("", []),
    ])
  func split(line: String, words: [String]) throws {
    #expect(try ShellWords.split(line) == words)
  }

  @Test(
    "what the shell would run or expand is refused",
    arguments: ["a x?b=1&c=2", "a; b", "a $HOME", "a \"`id`\"", "a > b", "a 'b", "a \\", "a | b"])
  func refused(line: String) {
    #expect(throws: ShellWords.Refusal.self) { try ShellWords.split(line) }
  }

  @Test("an intent is read as am reads it, and what it would ignore is refused")
  func intent() throws {
    let intent = try ActivityIntent([
      "-W", "-a", "android.intent.action.VIEW", "-c", "android.intent.category.BROWSABLE", "-d",
      "x:1", "com.example.app",
    ])
    #expect(intent.url == "x:1")
    #expect(intent.package == "com.example.app")
    #expect(intent.waits)
    #expect(try ActivityIntent(["-d", "x:1", "-n", "com.a/.Main"]).package == "com.a")
    for wrong in [
      ["-d", "x:1", "--es", "k", "v"], ["-a", "android.intent.action.SEND", "-d", "x:1"], ["-d"],
      [],
    ] {
      #expect(throws: ActivityIntent.Refusal.self) { try ActivityIntent(wrong) }
    }
  }
}
