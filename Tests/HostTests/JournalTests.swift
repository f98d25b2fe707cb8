import Foundation
import Testing

@testable import Host

@Suite("The journal", .timeLimit(.minutes(30))) struct JournalTests {
  private let pipe = Pipe()

  private func journal(
    minimum: JournalLevel = .debug, environment: [String: String] = [:], perSecond: Int = 100,
    socket: String = "/nonexistent"
  ) -> Journal {
    Journal(
      program: "launchservicesd", minimum: minimum, environment: environment,
      linesPerSecond: perSecond, descriptor: pipe.fileHandleForWriting.fileDescriptor,
      socket: socket)
  }

  private func written() throws -> String {
    try pipe.fileHandleForWriting.close()
    return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  @Test("prints program, level, message and values") func plain() throws {
    let journal = journal()
    journal.warning("cannot read a property list", ["file": "/a b", "key": "X"])
    journal.error("out of descriptors")
    #expect(
      try written() == """
        launchservicesd: warning: cannot read a property list file="/a b" key=X
        launchservicesd: error: out of descriptors

        """)
  }

  @Test("prints the level as a number when systemd reads it") func systemd() throws {
    var status = stat()
    unsafe fstat(pipe.fileHandleForWriting.fileDescriptor, &status)
    let journal = journal(environment: ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"])
    journal.error("e")
    journal.warning("w")
    journal.notice("n")
    journal.info("i")
    journal.debug("d")
    #expect(try written() == "<3>e\n<4>w\n<5>n\n<6>i\n<7>d\n")
  }

  @Test("gives systemd's journal fields, and a line when the journal is gone") func fields() throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let reader = try DatagramReader(folder.appending(path: "socket").path)
    var status = stat()
    unsafe fstat(pipe.fileHandleForWriting.fileDescriptor, &status)
    let journal = journal(
      environment: ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"], socket: reader.path)

    journal.notice(
      "launched", ["application": "com.a", "would-open": "x\nPRIORITY=0"],
      about: ["request": "7", "caller": "/bin/b\nc", "application": "com.a"])
    func field(_ name: String, _ value: String) -> [UInt8] {
      Array(name.utf8) + [10, UInt8(value.utf8.count), 0, 0, 0, 0, 0, 0, 0] + Array(value.utf8) + [
        10
      ]
    }
    #expect(
      reader.read()
        == field("PRIORITY", "5") + field("SYSLOG_IDENTIFIER", "launchservicesd")
        + field("MESSAGE", #"launched application=com.a would-open="x\nPRIORITY=0""#)
        + field("LAUNCH_SERVICES_APPLICATION", "com.a")
        + field("LAUNCH_SERVICES_WOULD_OPEN", "x\nPRIORITY=0")
        + field("LAUNCH_SERVICES_CALLER", "/bin/b\nc") + field("LAUNCH_SERVICES_REQUEST", "7"))

    reader.close()
    journal.notice("ended", ["application": "com.a"], about: ["request": "7"])
    #expect(try written() == "<5>ended application=com.a\n")
  }

  @Test("prints for people when its stream is not the one systemd made") func redirected() throws {
    let journal = journal(environment: ["JOURNAL_STREAM": "1:2"])
    journal.notice("n")
    #expect(try written() == "launchservicesd: notice: n\n")
  }

  @Test("leaves out what matters less than wanted") func minimum() throws {
    let journal = journal(minimum: .notice)
    journal.info("i")
    journal.notice("n")
    journal.error("e")
    #expect(try written() == "launchservicesd: notice: n\nlaunchservicesd: error: e\n")
  }

  @Test(
    "keeps an entry on one line and shows what is hidden in it",
    arguments: [
      ("a\nb", #""a\nb""#), ("\u{1b}[31m", #""\u{1b}[31m""#), ("say \"\\\"", #""say \"\\\"""#),
      ("", #""""#), ("\u{202e}x", #""\u{202e}x""#), ("x:y?a=b&ü", "x:y?a=b&ü"),
      ("\u{85}\u{2028}\0", #""\u{85}\u{2028}\u{0}""#),
    ])
  func oneLine(_ value: String, _ printed: String) throws {
    let journal = journal()
    journal.info("m", ["value": value])
    #expect(try written() == "launchservicesd: info: m value=\(printed)\n")
  }

  @Test("keeps a message on one line") func message() throws {
    let journal = journal()
    journal.info("1\n<3>2\r3")
    #expect(try written() == "launchservicesd: info: 1\\n<3>2\\r3\n")
  }

  @Test("cuts a long line to what a pipe takes at once, between two characters") func long() throws
  {
    let journal = journal()
    journal.info("m", ["a": String(repeating: "ü", count: 10_000), "b": "1"])
    let text = try written()
    #expect(text.utf8.count <= 4096 && text.utf8.count > 4090)
    #expect(text.hasSuffix("üü…\n"))
  }

  @Test("drops lines nobody reads instead of waiting, and tells how many") func fullPipe() throws {
    let journal = journal(perSecond: .max)
    let line = String(repeating: "x", count: 4000)
    for _ in 0..<100 { journal.info(line) }
    let first = pipe.fileHandleForReading.readData(ofLength: 3 * 4096)
    journal.info("last")
    let rest = try written()
    let lines = (String(decoding: first, as: UTF8.self) + rest).split(separator: "\n")
    let through = lines.count { $0 == "launchservicesd: info: " + line }
    #expect(through < 100)
    #expect(
      lines.dropFirst(through) == [
        "launchservicesd: warning: \(100 - through) lines suppressed",
        "launchservicesd: info: last",
      ])
  }

  @Test("is quiet when nobody listens any more") func closedPipe() throws {
    signal(SIGPIPE, SIG_IGN)
    let journal = journal()
    try pipe.fileHandleForReading.close()
    journal.error("unheard")
  }
}

@Suite("The rate limit") struct RateLimitTests {
  @Test("admits so many in one second and tells afterwards how many were refused") func refused() {
    var limit = RateLimit(perSecond: 2)
    #expect(limit.ask(at: 5_000_000) == .admitted(afterRefusing: 0))
    #expect(limit.ask(at: 5_100_000) == .admitted(afterRefusing: 0))
    #expect(limit.ask(at: 5_200_000) == .refused)
    #expect(limit.ask(at: 5_999_999) == .refused)
    #expect(limit.ask(at: 6_000_000) == .admitted(afterRefusing: 2))
    #expect(limit.ask(at: 6_000_001) == .admitted(afterRefusing: 0))
    #expect(limit.ask(at: 6_000_002) == .refused)
  }
}
