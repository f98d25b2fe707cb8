import Host
import LaunchRules
import Testing

@testable import launchservices_desktop

@Suite("A process counts for the file at whose events it was seen") struct ObservedWritesTests {
  private let world: GuardWorld

  init() throws { world = try GuardWorld() }

  private func choosers() throws -> [Set<UserChoiceRule.Chooser>] {
    let present = try world.task.listContents(world.list)
    return world.observed.writes(of: world.list, until: present).map(\.witness.choosers)
  }

  @Test("What is seen at a copy beside the list says nothing about the next write of the list")
  func beside() throws {
    for name in ["mimeapps.list.bak", "mimeapps.list~", ".mimeapps.list.swp"] {
      world.see(name, GuardWorld.user, isWritten: false)
      world.see(name, GuardWorld.user)
    }
    try world.write(GuardWorld.pages("taker"), by: [])
    #expect(try choosers() == [[]])
    try world.check()
    #expect(world.contents == GuardWorld.before)
  }

  @Test("What is seen at a file counts for the list to which it is renamed, whenever that is")
  func renamed() throws {
    world.see("mimeapps.list.new", GuardWorld.user, isWritten: false)
    world.see("mimeapps.list.new", [])
    try world.write(GuardWorld.pages("mine"))
    world.see("mimeapps.list.new", [], renaming: .from(7))
    world.see("mimeapps.list", [], renaming: .to(7))
    #expect(try choosers() == [GuardWorld.user])
    // Only once.
    try world.write(GuardWorld.pages("taker"), by: [])
    #expect(try choosers() == [GuardWorld.user, []])
  }

  @Test("What is renamed from the list takes its processes along") func away() throws {
    world.see("mimeapps.list", GuardWorld.user, isWritten: false)
    world.see("mimeapps.list", [], renaming: .from(8))
    world.see("mimeapps.list~", [], renaming: .to(8))
    try world.write(GuardWorld.pages("taker"), by: [])
    #expect(try choosers() == [[]])
  }

  @Test("The processes at the beginning of a write count, also when they have ended at its end")
  func unfinished() throws {
    world.see("mimeapps.list", GuardWorld.user, isWritten: false)
    try world.write(GuardWorld.pages("mine"), by: [])
    #expect(try choosers() == [GuardWorld.user])
  }

  @Test("A command that has ended counts for its own write, not for that of another program")
  func ended() throws {
    let named: Set<UserChoiceRule.Chooser> = [
      .command(types: ["text/html"], application: "mine.desktop")
    ]
    try world.write(GuardWorld.pages("mine"), by: named)
    try world.write(GuardWorld.pages("taker"), by: named)
    #expect(try choosers() == [named, named])
    try world.check()
    #expect(world.contents == GuardWorld.pages("mine"))
    // Several writes of one command stay one change.
    try world.write(GuardWorld.before, by: named)
    try world.write(GuardWorld.pages("mine"), by: named)
    try world.write(
      GuardWorld.pages("mine") + "[Added Associations]\ntext/html=mine.desktop;\n", by: named)
    #expect(try choosers() == [named])
  }

  @Test("More writes than are kept join the last one, for the programs of both")
  func full() throws {
    for number in 1...100 {
      let isByUser = number.isMultiple(of: 2)
      try world.write(GuardWorld.pages("a\(number)"), by: isByUser ? GuardWorld.user : [])
    }
    #expect(world.observed.isFull)
    let found = try choosers()
    #expect(found.count <= 33)
    #expect(found.last == [])
  }
}
