import Foundation
import Host
import Testing

@testable import CallerIdentity

@Suite("Facts about processes that were identified a moment ago") struct RecentProcessesTests {
  @Test("Facts are kept for less than a second") func age() async throws {
    let facts = try await TableWorld().answer(":1.7").get()
    let process = try #require(ProcessDetails(of: facts.own.pid))
    var recent = RecentProcesses()
    #expect(recent.facts(of: process, now: 5) == nil)
    recent.add(facts, of: process, now: 5)
    #expect(recent.facts(of: process, now: 5)?.own.pid == facts.own.pid)
    #expect(recent.facts(of: process, now: 1_000_004)?.own.pid == facts.own.pid)
    #expect(recent.facts(of: process, now: 1_000_005) == nil)
    // Facts that were too old once are not used again.
    #expect(recent.facts(of: process, now: 6) == nil)
  }

  @Test("A process that executes another program is identified again") func program() async throws {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "read line; exec cat"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    defer {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
    let world = TableWorld()
    world.pid = process.processIdentifier
    let facts = try await world.answer(":1.7").get()
    let shell = try #require(ProcessDetails(of: world.pid))
    var recent = RecentProcesses()
    recent.add(facts, of: shell, now: 5)
    #expect(recent.facts(of: shell, now: 6)?.own.pid == facts.own.pid)
    try input.fileHandleForWriting.write(contentsOf: Data("go\nhere\n".utf8))
    #expect(try output.fileHandleForReading.read(upToCount: 5) == Data("here\n".utf8))
    let cat = try #require(ProcessDetails(of: world.pid))
    #expect(cat.startTime == shell.startTime && cat.executable != shell.executable)
    #expect(recent.facts(of: cat, now: 6) == nil)
    #expect(recent.facts(of: shell, now: 6) == nil)
  }

  @Test("Facts of a process are not those of the next process with its number") func number()
    async throws
  {
    let facts = try await TableWorld().answer(":1.7").get()
    let child = try RunningChild()
    let process = try #require(ProcessDetails(of: child.pid))
    var recent = RecentProcesses()
    recent.add(facts, of: try #require(ProcessDetails(of: facts.own.pid)), now: 5)
    #expect(recent.facts(of: process, now: 6) == nil)
  }
}
