import Foundation
import Glibc
import Host
import LaunchRules
import TemporaryFolders
import Testing

@testable import launchservices_desktop

@Suite("The guard compares the lists with what it has seen") struct GuardCheckTests {
  private let world: GuardWorld

  init() throws { world = try GuardWorld() }

  // MARK: The user's choice comes back

  @Test("What writes the old contents back after the user's choice is a change")
  func reversal() throws {
    try world.write(GuardWorld.pages("mine"), by: GuardWorld.user)
    try world.write(GuardWorld.before, by: [])
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
    let records = try world.records()
    #expect(records.map { $0.isByUser == true } == [true, false])
    #expect(records.map(\.takenBack.count) == [0, 1])
  }

  @Test("With notice, both are recorded, and stay") func reversalNoticed() throws {
    try world.write(GuardWorld.pages("mine"), by: GuardWorld.user)
    try world.write(GuardWorld.before, by: [])
    try world.check(.notice)
    #expect(world.contents == GuardWorld.before)
    #expect(try world.records().map(\.takenBack.count) == [0, 0])
  }

  @Test("What a program of ours writes back is no change") func ownWrite() throws {
    try world.write(GuardWorld.pages("mine"), by: GuardWorld.user)
    try world.task.recordOwnWrite(of: world.list, Array(GuardWorld.before.utf8))
    try world.write(GuardWorld.before)
    try world.task.recordEndOfOwnWrite(of: world.list)
    world.look([])
    try world.check()
    #expect(world.contents == GuardWorld.before)
    #expect(try world.records().isEmpty)
    // What follows counts again.
    try world.write(GuardWorld.pages("mine"), by: GuardWorld.user)
    try world.write(GuardWorld.before, by: [])
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
  }

  @Test("undo after the user's choice is no change of another program") func undo() throws {
    try world.write(GuardWorld.pages("taker"), by: [])
    try world.check(.notice)
    try world.write(GuardWorld.pages("taker") + "[Added Associations]\n", by: GuardWorld.user)
    try world.task.run(.undo(1))
    world.look([])
    try world.check()
    #expect(world.contents?.contains("text/html=web.desktop") == true)
    #expect(try world.records().count == 1)
  }

  @Test("After the limit of a minute, the user's choice comes back, not what was before")
  func choiceBeforeLimit() throws {
    for _ in 1...5 {
      try world.write(GuardWorld.pages("taker"), by: [])
      try world.check()
      #expect(world.contents == GuardWorld.before)
    }
    try world.write(GuardWorld.pages("mine"), by: GuardWorld.user)
    try world.write(GuardWorld.pages("taker"), by: [])
    #expect(try world.check().retryAfter > 0)
    #expect(world.contents == GuardWorld.pages("taker"))
    #expect(try world.records().last?.isByUser == true)
    try world.passTime()
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
  }

  @Test("What waits for the limit comes back later, also when the user chooses something then")
  func choiceAfterLimit() throws {
    for _ in 1...5 {
      try world.write(GuardWorld.pages("taker"), by: [])
      try world.check()
    }
    try world.write(GuardWorld.pages("taker"), by: [])
    let https = "https = mine"
    let chosen = GuardWorld.pages("taker").replacing("https = web", with: https)
    try world.write(chosen, by: GuardWorld.user)
    try world.write(chosen.replacing(https, with: "https = taker"), by: [])
    #expect(try world.check().retryAfter > 0)
    try world.passTime()
    try world.check()
    #expect(world.contents == GuardWorld.before.replacing("https = web", with: https))
  }

  @Test("After contents that are no key file, the user's choice before them comes back")
  func choiceBeforeBroken() throws {
    try world.write(GuardWorld.pages("mine"), by: GuardWorld.user)
    try world.write("broken", by: [])
    try world.check()
    #expect(world.contents == "broken")
    try world.write(GuardWorld.pages("taker"), by: [])
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
  }

  @Test("In the place of a FIFO, the user's choice before it comes back") func choiceBeforeFIFO()
    throws
  {
    try world.write(GuardWorld.pages("mine"), by: GuardWorld.user)
    try world.replace { unsafe mkfifo($0, 0o600) }
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
    #expect(try world.records().map { $0.replacedBy ?? "" } == ["", "a FIFO"])
  }

  // MARK: What is in the place of a list

  @Test("The list is put back five times a minute, also when the link there leads to an old folder")
  func oldTarget() throws {
    for _ in 1...5 {
      try world.replace { unsafe symlink("/usr", $0) }
      try world.check()
      #expect(world.contents == GuardWorld.before)
    }
    try world.replace { unsafe symlink("/usr", $0) }
    #expect(try world.check().retryAfter > 0)
    #expect(isSymbolicLink(world.list))
    let now = UInt64(clamping: Time.wallClockNanoseconds() / 1000)
    #expect(try world.records().allSatisfy { now - $0.time < 600_000_000 })
  }
}
