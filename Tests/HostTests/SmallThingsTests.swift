import Foundation
import Testing

@testable import Host

@Suite("A user's folders") struct UserFoldersTests {
  private func folders(_ environment: [String: String]) -> UserFolders {
    UserFolders(environment: environment, accountHome: { "/account" })
  }

  @Test("are below the home folder unless said otherwise") func defaults() {
    let folders = folders(["HOME": "/home/me"])
    #expect(folders.home == "/home/me")
    #expect(folders.dataHome == "/home/me/.local/share")
    #expect(folders.dataDirs == ["/usr/local/share", "/usr/share"])
    #expect(folders.configHome == "/home/me/.config")
    #expect(folders.stateHome == "/home/me/.local/state")
    #expect(folders.cacheHome == "/home/me/.cache")
    #expect(folders.runtimeDir == nil)
  }

  @Test("are where the variables say") func variables() {
    let folders = folders([
      "HOME": "/home/me", "XDG_DATA_HOME": "/d/", "XDG_DATA_DIRS": "/1/:/2:/1:",
      "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k",
      "XDG_RUNTIME_DIR": "/run/user/1",
    ])
    #expect(folders.dataHome == "/d")
    #expect(folders.dataDirs == ["/1", "/2"])
    #expect(folders.configHome == "/c")
    #expect(folders.stateHome == "/s")
    #expect(folders.cacheHome == "/k")
    #expect(folders.runtimeDir == "/run/user/1")
  }

  @Test("are not where empty or relative variables say") func ignored() {
    let folders = folders([
      "HOME": "me", "XDG_DATA_HOME": "", "XDG_DATA_DIRS": "x::../y", "XDG_RUNTIME_DIR": "run",
    ])
    #expect(folders.home == "/account")
    #expect(folders.dataHome == "/account/.local/share")
    #expect(folders.dataDirs == ["/usr/local/share", "/usr/share"])
    #expect(folders.runtimeDir == nil)
  }

  @Test("keep the absolute ones of a mixed list") func mixed() {
    #expect(folders(["XDG_DATA_DIRS": "x:/1"]).dataDirs == ["/1"])
  }

  @Test("of a user whose home is the top have one slash") func top() {
    #expect(folders(["HOME": "/"]).configHome == "/.config")
  }

  @Test("have a home in the account database") func account() {
    #expect(UserFolders.accountHome().hasPrefix("/"))
  }
}

@MainActor @Suite("A deadline", .timeLimit(.minutes(30))) struct DeadlineTests {
  @Test("passes once, not earlier than asked") func passes() async throws {
    let passed = EventStream<UInt64>()
    let start = Time.monotonicMicroseconds()
    let deadline = Deadline(after: .milliseconds(20)) { passed.add(Time.monotonicMicroseconds()) }
    #expect(try await passed.next() - start >= 20_000)
    withExtendedLifetime(deadline) {}
  }

  @Test("that is cancelled or dropped does not pass") func cancelled() async throws {
    let passed = EventStream<String>()
    let cancelled = Deadline(after: .zero) { passed.add("cancelled") }
    var dropped: Deadline? = Deadline(after: .zero) { passed.add("dropped") }
    cancelled.cancel()
    dropped = nil
    let last = Deadline(after: .milliseconds(5)) { passed.add("last") }
    #expect(try await passed.next() == "last")
    withExtendedLifetime((cancelled, dropped, last)) {}
  }

  @Test("does not pass when it is dropped by another that passes before it") func droppedLate()
    async throws
  {
    let passed = EventStream<String>()
    var second: Deadline?
    let first = Deadline(after: .milliseconds(1)) { [passed] in
      // Makes sure that the time of the second is over.
      let end = Time.monotonicMicroseconds() + 5_000
      while Time.monotonicMicroseconds() < end {}
      second = nil
      passed.add("first")
    }
    second = Deadline(after: .milliseconds(2)) { passed.add("second") }
    #expect(try await passed.next() == "first")
    let last = Deadline(after: .milliseconds(5)) { passed.add("last") }
    #expect(try await passed.next() == "last")
    withExtendedLifetime((first, second, last)) {}
  }

  @Test("in the past passes soon, and one beyond all times does not") func extremes() async throws {
    let passed = EventStream<String>()
    let never = Deadline(after: .seconds(Int64.max)) { passed.add("never") }
    let soon = Deadline(after: .seconds(-5)) { passed.add("soon") }
    #expect(try await passed.next() == "soon")
    withExtendedLifetime((never, soon)) {}
  }
}

@Suite("Small things") struct SmallThingsTests {
  @Test("a token is 64 hexadecimal digits and never comes twice") func token() {
    let tokens = (0..<100).map { _ in randomToken() }
    #expect(Set(tokens).count == 100)
    #expect(tokens.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{64}/) != nil })
  }

  @Test("the clocks agree with Foundation's") func clocks() {
    let seconds = Double(Time.wallClockNanoseconds()) / 1e9
    #expect(abs(seconds - Date().timeIntervalSince1970) < 1)
    #expect(abs(Double(Time.fileClockNanoseconds()) / 1e9 - seconds) < 1)
    let first = Time.monotonicMicroseconds()
    #expect(first > 0 && Time.monotonicMicroseconds() >= first)
  }

  @Test("the bytes of a file in memory take the room of its contents, not of the limit")
  func memoryFile() throws {
    let file = try #require(MemoryFile())
    #expect(file.bytes(atMost: 1 << 20) == [])
    #expect(unsafe write(file.number, "text", 4) == 4)
    let bytes = file.bytes(atMost: 1 << 20)
    #expect(bytes == Array("text".utf8) && bytes.capacity < 1 << 10)
    #expect(file.text(atMost: 2) == "te")
  }

  @Test("an error number explains itself") func errorNumber() {
    #expect(Errno.noSuchFile.description == "No such file or directory (error 2)")
    #expect(Errno(4711).description == "error 4711")
  }
}
