import LaunchRules
import TemporaryFolders
import Testing

@testable import ApplicationFolders

@Suite("What changes when property lists were read again") struct ReadingChangeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ name: String) -> ApplicationRecord {
    PropertyListOrder(path: folder[name + ".plist"]).read()
  }

  private func change(
    _ fresh: [ApplicationRecord], before: [ApplicationRecord] = [], registered: Set<String> = [],
    missing: Set<String> = []
  ) -> ReadingChange {
    ReadingChange(
      fresh, before: PropertyListTable(before), isRegistered: registered.contains,
      isMissing: missing.contains)
  }

  @Test("An application is installed, and what is odd is said once") func odd() throws {
    try folder.writeApplication("photos", claims: ["photos"], oddity: true)
    let photos = read("photos")
    let first = change([photos])
    #expect(first.installing == [photos] && first.known == [photos])
    #expect(first.removing == [] && first.forgotten == [])
    #expect(first.diagnostics.count == 1)
    #expect(change([photos], before: [photos]).diagnostics == [])
  }

  @Test("Files that are read again are installed once; files that replace them are installed again")
  func installedOnce() throws {
    try folder.writeApplication("photos", claims: ["photos"])
    // The stamps of files that were just written do not show a later change, so these files are read again soon.
    let unsettled = read("photos")
    let order = PropertyListOrder(path: folder["photos.plist"])
    var settled = unsettled
    while !order.isCurrent(settled) { settled = read("photos") }
    #expect(change([unsettled]).installed == [unsettled])
    let again = change([settled], before: [unsettled])
    #expect(again.installing == [settled] && again.installed == [])
    try folder.writeApplication("photos", claims: ["photos"])
    let replaced = read("photos")
    #expect(change([replaced], before: [settled]).installed == [replaced])
    let registered = PropertyListOrder(path: folder["photos.plist"], registeredAt: 7).read()
    #expect(change([registered], before: [replaced]).installed == [registered])
  }

  @Test("One that is broken is no longer registered, and is known to be broken") func broken()
    throws
  {
    let path = try folder.write("nonsense", to: "photos.plist")
    let photos = read("photos")
    let change = change([photos])
    #expect(change.removing == [path] && change.installing == [])
    #expect(change.known == [photos] && change.forgotten == [])
    #expect(change.diagnostics.count == 1)
  }

  @Test("One that is gone is forgotten without a word, unless it was registered by its path")
  func gone() {
    let path = folder["photos.plist"]
    let photos = read("photos")
    let gone = change([photos], missing: [path])
    #expect(gone.removing == [path] && gone.forgotten == [path] && gone.known == [])
    #expect(gone.diagnostics == [])
    let registered = change([photos], registered: [path], missing: [path])
    #expect(registered.removing == [path] && registered.forgotten == [])
    #expect(registered.known == [photos] && registered.diagnostics == [])
    // It is there, and cannot be read.
    #expect(change([photos]).diagnostics.count == 1)
  }

  @Test("What is odd comes in the order of the files") func order() throws {
    for name in ["b", "a"] { try folder.writeApplication(name, claims: [name], oddity: true) }
    let files = change([read("b"), read("a")]).diagnostics.map(\.file)
    #expect(Set(files).count == 2 && files == files.sorted())
  }
}
