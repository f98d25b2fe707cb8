import Commands
import Foundation
import Testing

@Suite struct FilePathTests {
  static let absolute: [(String, String)] = [
    ("a", "/nowhere/at/all/a"),
    ("./a//b/.", "/nowhere/at/all/a/b"),
    ("../a", "/nowhere/at/a"),
    ("../../../../a", "/a"),
    ("/a/./b", "/a/b"),
    ("/", "/"),
    (".", "/nowhere/at/all"),
  ]

  @Test("R7.1 relative paths begin at the current folder", arguments: absolute)
  func makesAbsolute(path: String, result: String) {
    #expect(FilePath.absolute(path, from: "/nowhere/at/all") == result)
  }

  @Test("'..' behind a symbolic link leads where Linux leads; a link by itself stays")
  func symbolicLinks() throws {
    let files = FileManager.default
    let root = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? files.removeItem(at: root) }
    try files.createDirectory(
      at: root.appendingPathComponent("far/folder"), withIntermediateDirectories: true)
    try files.createSymbolicLink(
      at: root.appendingPathComponent("link"),
      withDestinationURL: root.appendingPathComponent("far/folder"))
    let real = root.resolvingSymlinksInPath().path
    #expect(FilePath.absolute("link/..", from: real) == real + "/far")
    #expect(FilePath.absolute("link", from: real) == real + "/link")
  }

  static let urls: [(String, String)] = [
    ("/usr/bin", "file:///usr/bin"),
    ("/a b%c?d#e", "file:///a%20b%25c%3Fd%23e"),
    ("/é/\u{1}\n", "file:///%C3%A9/%01%0A"),
    ("/AZaz09-._~!$&'()*+,;=:@", "file:///AZaz09-._~!$&'()*+,;=:@"),
    ("/[x]\\\"<>^`{|}", "file:///%5Bx%5D%5C%22%3C%3E%5E%60%7B%7C%7D"),
  ]

  @Test("a path becomes a URL that reads back as this path", arguments: urls)
  func makesURL(path: String, url: String) {
    #expect(FilePath.url(path) == url)
    #expect(URL(string: url)?.path(percentEncoded: false) == path)
  }

  @Test("R7.6 a missing file, and a file taken for a folder, do not exist")
  func requireFile() throws {
    try FilePath.requireFile("/")
    for path in ["/nowhere/at/all", "/etc/passwd/x"] {
      #expect(throws: CommandFailure(.noSuchFile, "The file \(path) does not exist.")) {
        try FilePath.requireFile(path)
      }
    }
  }
}
