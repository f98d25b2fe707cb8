import DesktopEntries
import Testing

@Suite("An application without a desktop entry") struct ProgramApplicationTests {
  @Test("is made of a command line, after which the URL is put") func commandLine() throws {
    let program = ["/usr/bin/env", "a b", "100%", "$x", "\"q\"", "c\\d", ";"]
    let application = try #require(
      DesktopApplication(identifier: "com.example.chat", program: program))
    #expect(application.identifier == "com.example.chat")
    #expect(application.execTakesURIs)
    #expect(application.activationName == nil)
    #expect(application.file == nil)
    #expect(!application.takesSeveral)
    // Percent signs are doubled in Exec, and a command line with one is not made: a second process gets the URL.
    let plain = try #require(
      DesktopApplication(
        identifier: "com.example.chat", program: program.filter { $0 != "100%" }))
    #expect(
      plain.commandLine(opening: "chat:1?a=%20b")
        == program.filter { $0 != "100%" } + ["chat:1?a=%20b"])
    #expect(DesktopApplication(identifier: "com.example.chat", program: []) == nil)
    #expect(DesktopApplication(identifier: "com.example.chat", program: ["/no/program"]) == nil)
  }

  @Test("has a checksum for its socket") func checksum() {
    func digits(_ text: String) -> String {
      Checksum.md5(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    // RFC 1321, section A.5
    #expect(digits("") == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(digits("message digest") == "f96b697d7cb7938d525a2f31aaf161d0")
  }
}
