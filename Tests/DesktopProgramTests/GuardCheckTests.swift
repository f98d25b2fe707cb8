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
    try world.task.recordOwnWrite(
      of: world.list, from: Array(GuardWorld.pages("mine").utf8),
      to: Array(GuardWorld.before.utf8))
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

  @Test("Contents that a program of ours could not write are not written by the guard later")
  func failedOwnWrite() throws {
    let error = FileError(world.list, .cannot("write", Errno(ENOSPC)))
    #expect(throws: (any Error).self) {
      try world.task.writeAsOwn(
        world.list, from: Array(GuardWorld.before.utf8),
        to: Array(GuardWorld.pages("mine").utf8)
      ) { () throws(FileError) in throw error
      }
    }
    try world.check()
    #expect(world.contents == GuardWorld.before)
    #expect(try world.records().isEmpty)
    try world.write(GuardWorld.pages("taker"), by: [])
    try world.check()
    #expect(world.contents == GuardWorld.before)
  }

  /// Another program has taken the web pages six times in a minute, so that the last time waits.
  private func takeUntilLimit() throws {
    for _ in 1...6 {
      try world.write(GuardWorld.pages("taker"), by: [])
      try world.check()
    }
    try #require(world.contents == GuardWorld.pages("taker"))
  }

  @Test("What waits to be taken back is taken back also after a program of ours wrote other lines")
  func ownWriteWhileWaiting() throws {
    try takeUntilLimit()
    let (before, https) = (GuardWorld.pages("taker"), "https = mine")
    let edited = before.replacing("https = web", with: https)
    try world.task.writeAsOwn(world.list, from: Array(before.utf8), to: Array(edited.utf8)) {
      () throws(FileError) in try AtomicFile.write(Array(edited.utf8), to: world.list)
    }
    world.look([])
    try world.passTime()
    try world.check()
    #expect(world.contents == GuardWorld.before.replacing("https = web", with: https))
  }

  @Test("What a program of ours writes over what waits to be taken back stays")
  func ownWriteOverWaiting() throws {
    try takeUntilLimit()
    let (before, edited) = (GuardWorld.pages("taker"), GuardWorld.pages("mine"))
    try world.task.writeAsOwn(world.list, from: Array(before.utf8), to: Array(edited.utf8)) {
      () throws(FileError) in try AtomicFile.write(Array(edited.utf8), to: world.list)
    }
    world.look([])
    try world.passTime()
    try world.check()
    #expect(world.contents == edited)
  }

  @Test("undo and keep accept nothing that waits to be taken back") func undoWhileWaiting() throws {
    let png = "image/png=mine.desktop\n"
    try world.write(GuardWorld.before + png, by: GuardWorld.user)
    try world.check()
    for number in 1...6 {
      try world.write(GuardWorld.pages("taker") + png, by: [])
      #expect(try (world.check().retryAfter > 0) == (number == 6))
    }
    try world.task.run(.undo(1))
    #expect(world.contents == GuardWorld.pages("taker"))
    try world.task.run(.keep(1))
    #expect(world.contents == GuardWorld.pages("taker") + png)
    world.look([])
    try world.passTime()
    try world.check()
    #expect(world.contents == GuardWorld.before + png)
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

  @Test("A list that cannot be written keeps the user's choice for the next try")
  func choiceBeforeFailure() throws {
    try FileManager.default.removeItem(atPath: world.list)
    try world.folder.write(GuardWorld.before, to: "one/list")
    try FileManager.default.createSymbolicLink(
      atPath: world.list, withDestinationPath: world.folder["one/list"])
    try world.check()
    try world.folder.write(GuardWorld.pages("mine"), to: "one/list")
    world.see(targetIn: "one", GuardWorld.user)
    try world.folder.write(GuardWorld.pages("taker"), to: "two/list")
    try FileManager.default.removeItem(atPath: world.folder["one/list"])
    try FileManager.default.createSymbolicLink(
      atPath: world.folder["one/list"], withDestinationPath: world.folder["two/list"])
    world.see(targetIn: "one", [])
    #expect(try world.check().retryAfter > 0)
    #expect(try world.records().last?.notTakenBack?.count == 1)
    try FileManager.default.removeItem(atPath: world.folder["one/list"])
    try world.folder.write(GuardWorld.pages("taker"), to: "one/list")
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
  }

  @Test("What another program takes is no choice of the user when a write comes between")
  func writeBetween() throws {
    try world.write(GuardWorld.pages("taker"), by: [])
    // The list changes between the comparison and the write of the guard.
    let record = try world.folder.makeFolder("state/launch-services/guard/changes") + "/1.plist"
    try #require(unsafe symlink(world.list, record) == 0)
    #expect(try world.check().retryAfter > 0)
    #expect(try world.records().isEmpty)
    let chosen = GuardWorld.pages("taker").replacing("https = web", with: "https = mine")
    try world.write(chosen, by: GuardWorld.user)
    try world.check()
    #expect(world.contents == chosen.replacing("text/html=taker", with: "text/html=web"))
  }

  @Test("What was observed is kept until it can be recorded") func choiceBeforeFullDisk() throws {
    let other = world.folder["home/applications/mimeapps.list"]
    try world.folder.write(GuardWorld.before, to: "home/applications/mimeapps.list")
    try world.task.takeGuardSnapshot()
    try world.folder.write("", to: "state/launch-services/guard/changes")
    try world.write(GuardWorld.pages("mine"), by: GuardWorld.user)
    try world.write(GuardWorld.pages("taker"), by: [])
    #expect(try world.check().failures.keys.sorted() == [world.list])
    // Another list is compared, and the failed comparison changes nothing for later.
    try world.folder.write("", to: "home/applications/mimeapps.list")
    #expect(try world.check().failures.keys.sorted() == [world.list, other])
    unsafe unlink(world.folder["state/launch-services/guard/changes"])
    #expect(try world.check().failures.isEmpty)
    #expect(world.contents == GuardWorld.pages("mine"))
    #expect(
      try world.records().filter { $0.file == world.list }.map { $0.isByUser == true }
        == [true, false])
  }

  @Test("A busy lock is tried again soon, an error later each time") func waiting() {
    var waiting = Waiting()
    var said = [waiting.begin(at: 0, isError: false)]
    #expect(waiting.delay == 500_000)
    said.append(waiting.begin(at: 2_000_000, isError: false))
    #expect(waiting.delay == 500_000)
    var delays: [UInt64] = []
    for _ in 1...12 {
      said.append(waiting.begin(at: 3_000_000, isError: true))
      delays.append(waiting.delay)
    }
    #expect(delays.prefix(3) == [1_000_000, 2_000_000, 4_000_000])
    #expect(delays.last == 64_000_000)
    waiting.end(world.task)
    #expect(world.log.joined().contains("the guard compares the default applications again"))
    said.append(waiting.begin(at: 4_000_000, isError: true))
    #expect(said.indices.filter { said[$0] } == [1, 14])
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

  @Test("A list that came meanwhile stays") func meanwhile() throws {
    try world.write(GuardWorld.pages("mine"))
    let memory = try #require(try world.task.guardFolder.memory())
    for seen in [ListContents.none, .other("a FIFO"), .file(Array(GuardWorld.before.utf8))] {
      #expect(try !world.task.writeList([1], to: world.list, insteadOf: seen, memory))
      #expect(world.contents == GuardWorld.pages("mine"))
    }
    let present = ListContents.file(Array(GuardWorld.pages("mine").utf8))
    #expect(try world.task.writeList(Array("x".utf8), to: world.list, insteadOf: present, memory))
    #expect(world.contents == "x")
  }

  @Test("A socket, and a link to itself, are recorded, and the list comes back")
  func unusual() throws {
    try world.replace { unsafe mknod($0, S_IFSOCK | 0o600, 0) }
    try world.check()
    #expect(world.contents == GuardWorld.before)
    try world.replace { unsafe symlink("mimeapps.list", $0) }
    try world.check()
    #expect(world.contents == GuardWorld.before)
    #expect(
      try world.records().map(\.replacedBy)
        == ["a socket", "a symbolic link that leads in a circle"])
    #expect(try world.records().allSatisfy { $0.isPutBack == true })
  }

  @Test(
    "A list that cannot be read is recorded, and comes back",
    .enabled(if: geteuid() != 0, "root can read each file"))
  func unreadable() throws {
    #expect(unsafe chmod(world.list, 0) == 0)
    world.look([])
    try world.check()
    #expect(world.contents == GuardWorld.before)
    #expect(try world.records().map { $0.replacedBy?.hasPrefix("a file that cannot") } == [true])
    #expect(unsafe chmod(world.folder["config"], 0) == 0)
    try world.check()
    try world.check()
    #expect(unsafe chmod(world.folder["config"], 0o700) == 0)
    #expect(try world.records().map(\.failures) == [nil, 1])
  }

  @Test("A list that is no file for a moment, as after chmod 000, has not changed")
  func unreadableForAMoment() throws {
    let text = GuardWorld.before + "image/png=gone.desktop;web.desktop\n"
    try world.write(text)
    try world.task.takeGuardSnapshot()
    unsafe unlink(world.list)
    try #require(unsafe mkfifo(world.list, 0o600) == 0)
    world.look(GuardWorld.user)
    unsafe unlink(world.list)
    try world.write(text, by: [])
    try world.check()
    #expect(world.contents == text)
    #expect(try world.records().isEmpty)
    // The next change is compared with the contents before.
    try world.replace { unsafe mkfifo($0, 0o600) }
    unsafe unlink(world.list)
    try world.write(text.replacing("text/html=web", with: "text/html=taker"), by: [])
    try world.check()
    #expect(world.contents == text)
    #expect(try world.records().count == 1)
  }

  @Test("An application keeps its default when its desktop entry becomes a FIFO") func entry()
    throws
  {
    let entry = world.folder["home/applications/web.desktop"]
    unsafe unlink(entry)
    try #require(unsafe mkfifo(entry, 0o600) == 0)
    try world.write(GuardWorld.before.replacing("text/html=web.desktop\n", with: ""), by: [])
    try world.check()
    #expect(world.contents == GuardWorld.before)
  }

  @Test("What another program has replaced before the guard wrote was not taken back")
  func replacedSince() throws {
    try world.write(GuardWorld.pages("taker"), by: [])
    try world.write("broken", by: GuardWorld.user)
    try world.check()
    let record = try #require(try world.records().first)
    #expect(
      record.sentences { $0 }
        == ["taker.desktop became the default for text/html, which was replaced since."])
    #expect(record.advice.hasSuffix("'lsregister guard keep 1' makes this one again."))
    try world.task.run(.changes)
    #expect(world.log.joined().contains("-> taker.desktop, replaced since\n"))
  }

  @Test("There is no advice to undo when a list is there again") func listAgain() throws {
    try world.replace { unsafe mkfifo($0, 0o600) }
    try world.check()
    var lost = try #require(try world.records().first)
    #expect(lost.advice.hasSuffix("the list is as it was before."))
    // A list that came before the guard wrote.
    (lost.isPutBack, lost.isReplacedSince) = (nil, true)
    #expect(lost.advice == "'lsregister guard changes' prints all changes.")
    #expect(
      lost.sentences { $0 }
        == ["\(world.list) was replaced by a FIFO, which was replaced since."])
  }

  // MARK: Symbolic links

  /// Makes the list a link of the user to a file in another folder.
  private func linkList() throws -> String {
    let file = try world.folder.write(GuardWorld.before, to: "dotfiles/list")
    unsafe unlink(world.list)
    try #require(unsafe symlink("../dotfiles/list", world.list) == 0)
    try world.check()
    return file
  }

  @Test("The user's link stays, and the list behind it comes back", arguments: [true, false])
  func link(isFIFO: Bool) throws {
    let file = try linkList()
    unsafe unlink(file)
    if isFIFO { try #require(unsafe mkfifo(file, 0o600) == 0) }
    world.look([])
    try world.check()
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: world.list) == "../dotfiles/list")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == GuardWorld.before)
    #expect(!isSymbolicLink(file))
  }

  @Test(
    "A list with a second path is compared once: the user's choice stays, and a theft is taken back",
    arguments: ["config/kde-mimeapps.list", "home/applications/mimeapps.list"])
  func secondPath(link: String) throws {
    try #require(unsafe symlink(world.list, world.folder[link]) == 0)
    try world.task.takeGuardSnapshot()
    try world.write(GuardWorld.pages("mine"), by: GuardWorld.user)
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
    try world.write(GuardWorld.pages("taker"), by: [])
    try world.check()
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
    #expect(try world.records().map(\.file) == [world.list, world.list])
    // The link becomes a file.
    unsafe unlink(world.folder[link])
    try world.folder.write(GuardWorld.pages("taker"), to: link)
    try world.check()
    #expect(try String(contentsOfFile: world.folder[link], encoding: .utf8) == world.contents)
  }

  @Test("What a program of ours writes through a second path is no change") func ownSecondPath()
    throws
  {
    let link = world.folder["home/applications/mimeapps.list"]
    try #require(unsafe symlink(world.list, link) == 0)
    try world.task.takeGuardSnapshot()
    try world.task.recordOwnWrite(
      of: link, from: Array(GuardWorld.before.utf8), to: Array(GuardWorld.pages("mine").utf8))
    try world.write(GuardWorld.pages("mine"))
    try world.task.recordEndOfOwnWrite(of: link)
    world.look([])
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
    #expect(try world.records().isEmpty)
  }

  @Test("A choice that the user writes through the link stays, a theft does not")
  func choiceBehindLink() throws {
    let file = try linkList()
    for isByUser in [true, false] {
      try world.folder.write(
        GuardWorld.pages(isByUser ? "mine" : "taker"), to: "dotfiles/list")
      // The processes at the beginning count, too.
      world.see(targetIn: "dotfiles", isByUser ? GuardWorld.user : [], isWritten: false)
      world.see(targetIn: "dotfiles", [])
      try world.check()
      #expect(try String(contentsOfFile: file, encoding: .utf8) == GuardWorld.pages("mine"))
    }
    #expect(try world.records().map { $0.isByUser == true } == [true, false])
    #expect(isSymbolicLink(world.list))
  }

  @Test("A list is written neither into an empty mount point, nor into a folder made anew")
  func unmounted() throws {
    let file = try linkList()
    let (mounted, mountPoint) = (world.folder["mounted"], world.folder["dotfiles"])
    for isMissing in [false, true] {
      try FileManager.default.moveItem(atPath: mountPoint, toPath: mounted)
      if !isMissing { try world.folder.makeFolder("dotfiles") }
      world.look([])
      #expect(try world.check().retryAfter > 0)
      #expect(!FileManager.default.fileExists(atPath: file))
      #expect(FileManager.default.fileExists(atPath: mountPoint) == !isMissing)
      let reason = isMissing ? "is missing: mount" : "is another one than before"
      #expect(world.log.last?.contains(reason) == true, "\(world.log)")
      #expect(try world.records().last?.notTakenBack?.isEmpty == false)
      if !isMissing { try FileManager.default.removeItem(atPath: mountPoint) }
      try FileManager.default.moveItem(atPath: mounted, toPath: mountPoint)
      try world.check()
      #expect(try String(contentsOfFile: file, encoding: .utf8) == GuardWorld.before)
    }
    #expect(isSymbolicLink(world.list))
  }

  @Test("A list in a folder that was mounted again, with other numbers, is guarded")
  func remounted() throws {
    let file = try linkList()
    try FileManager.default.removeItem(atPath: world.folder["dotfiles"])
    try world.folder.makeFolder("other")
    try world.folder.write(GuardWorld.pages("taker"), to: "dotfiles/list")
    world.look([])
    try world.check()
    #expect(try String(contentsOfFile: file, encoding: .utf8) == GuardWorld.before)
  }

  @Test("The user's link that leads to another place by way of another link is left alone")
  func linkElsewhere() throws {
    let file = try linkList()
    unsafe unlink(file)
    let fifo = world.folder["fifo"]
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    try #require(unsafe symlink(fifo, file) == 0)
    world.look([])
    try world.check()
    #expect(FileManager.default.fileExists(atPath: fifo) && isSymbolicLink(file))
    #expect(isSymbolicLink(world.list))
    #expect(world.log.contains { $0.contains("leads to \(fifo) now") }, "\(world.log)")
  }

  @Test("The target of another program's link is never written") func foreignLink() throws {
    let other = try world.folder.write(
      "[Default Applications]\ntext/html=taker.desktop\n", to: "config/other.ini")
    try world.replace { unsafe symlink(other, $0) }
    try world.check()
    #expect(world.contents == GuardWorld.before)
    #expect(
      try String(contentsOfFile: other, encoding: .utf8)
        == "[Default Applications]\ntext/html=taker.desktop\n")
  }
}
