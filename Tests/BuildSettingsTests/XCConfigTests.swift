import BuildSettings
import Testing

@Suite struct XCConfigTests {
  private func read(_ text: String, _ others: [String: String] = [:]) throws -> XCConfig {
    try XCConfig("/c/a.xcconfig", files(others.merging(["/c/a.xcconfig": text]) { $1 }))
  }

  @Test("a comment begins anywhere, the last semicolon is dropped, and $() keeps two slashes apart")
  func values() throws {
    let config = try read(
      """
      // A comment
      A = one // two
        B=x;
      URL = https:/$()/example.com/x
      EMPTY =
      C = a = b\r
      """)
    #expect(
      config.lines == [
        "/c/a.xcconfig:2 A = one", "/c/a.xcconfig:3 B = x",
        "/c/a.xcconfig:4 URL = https://example.com/x", "/c/a.xcconfig:5 EMPTY = ",
        "/c/a.xcconfig:6 C = a = b",
      ])
    #expect(config.problems == [])
  }

  @Test("conditions stand in several brackets or behind commas")
  func conditions() throws {
    let config = try read("A[sdk=iphoneos*][arch=arm64] = 1\nA[sdk=macosx*,config=Debug] = 2\n")
    #expect(
      config.lines == [
        "/c/a.xcconfig:1 A[sdk=iphoneos*][arch=arm64] = 1",
        "/c/a.xcconfig:2 A[sdk=macosx*][config=Debug] = 2",
      ])
  }

  @Test("an included file counts where it is included, and its path begins at the including file")
  func includes() throws {
    let config = try read(
      "A = 1\n#include \"../b/b.xcconfig\"\nC = 3\n#include? \"none.xcconfig\"\n",
      ["/b/b.xcconfig": "B = 2\n#include \"c.xcconfig\"\n", "/b/c.xcconfig": "A = 9\n"])
    #expect(
      config.lines == [
        "/c/a.xcconfig:1 A = 1", "/b/b.xcconfig:1 B = 2", "/b/c.xcconfig:1 A = 9",
        "/c/a.xcconfig:3 C = 3",
      ])
    #expect(config.problems == [])
  }

  @Test("each mistake is named with its line, and the other lines count")
  func mistakes() throws {
    let config = try read(
      "#include \"none.xcconfig\"\n#include \"a.xcconfig\"\n#define X\nword\nA-B = 1\nA[x = 2\nA = 1\n"
    )
    #expect(config.lines == ["/c/a.xcconfig:7 A = 1"])
    #expect(
      config.problems.map(\.description).sorted() == [
        "/c/a.xcconfig:1: the included file /c/none.xcconfig does not exist",
        "/c/a.xcconfig:2: /c/a.xcconfig includes itself; the second include is ignored",
        "/c/a.xcconfig:3: \"#define X\" is not a directive; the only one is #include",
        "/c/a.xcconfig:4: the line is neither NAME = VALUE nor an #include",
        "/c/a.xcconfig:5: \"A-B\" is not the name of a build setting",
        "/c/a.xcconfig:6: the line is neither NAME = VALUE nor an #include",
      ])
  }

  @Test("a file that does not exist is a failure")
  func missing() {
    #expect(
      throws: SettingsFailure("The file /c/x.xcconfig does not exist.", isMissingFile: true)
    ) { try XCConfig("/c/x.xcconfig", files([:])) }
  }

  @Test("files that include two files each end at a limit")
  func flood() throws {
    var contents: [String: String] = [:]
    for level in 0..<30 {
      contents["/c/\(level)"] = "#include \"\(level + 1)\"\n#include \"\(level + 1)\"\n"
    }
    contents["/c/30"] = "A = 1\n"
    let config = try XCConfig("/c/0", files(contents))
    #expect(config.assignments.count < 200)
    #expect(config.problems.contains { $0.text.hasPrefix("more than 200 files") })
  }
}
