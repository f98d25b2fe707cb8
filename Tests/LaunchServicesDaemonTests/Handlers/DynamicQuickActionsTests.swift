import BusContract
import DBus
import Host
import LaunchRules
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("Dynamic quick actions") struct DynamicQuickActionsTests {
  private static let name = "shortcut-items.plist"
  private let folder: StateFolder
  private let photos: InstalledApplication

  init() throws {
    folder = try StateFolder()
    photos = try InstalledApplication.named("photos", actions: [Self.action("static")])
  }

  /// The actions of a daemon that starts now.
  private func actions(_ name: String = Self.name) -> DynamicQuickActions {
    DynamicQuickActions(
      StateFile(path: folder.file(name), isBinary: true),
      Journal(program: "quick-action-tests", environment: [:], descriptor: -1))
  }

  private static func action(_ type: String) -> QuickAction {
    QuickAction(type: type, title: "The title \u{1} of \(type)")
  }

  @Test("The next daemon knows the actions, and menus show the first four after the static ones")
  func stored() throws {
    let dynamic = (1...4).map { Self.action("dynamic-\($0)") }
    try actions().set(dynamic, of: photos.identifier)
    let next = actions()
    #expect(next[photos.identifier] == dynamic)
    #expect(
      next.shown(of: photos).map(\.type) == ["static", "dynamic-1", "dynamic-2", "dynamic-3"])
  }

  @Test("Actions that cannot be stored are not set, and the earlier ones stay") func unwritable()
    throws
  {
    // In place of the folder there is a file.
    try AtomicFile.write([], to: folder.file("file"))
    let actions = actions("file/" + Self.name)
    #expect(throws: FileError.self) {
      try actions.set([Self.action("new")], of: photos.identifier)
    }
    #expect(actions[photos.identifier].isEmpty)
    // Nothing is to be written for actions that are set already.
    try actions.set([], of: photos.identifier)
  }

  @Test("The actions of an unregistered application are removed, also from the file; others stay")
  func unregistered() throws {
    let music = try InstalledApplication.named("music")
    let actions = actions()
    for application in [photos, music] {
      try actions.set([Self.action("new")], of: application.identifier)
    }
    // The applications of the desktop may be read before those of folders.
    actions.keep { _ in false }
    #expect(actions[photos.identifier].map(\.type) == ["new"])
    actions.recordRegistryRead()
    actions.keep { $0 == music.identifier }
    for actions in [actions, self.actions()] {
      #expect(actions[photos.identifier].isEmpty)
      #expect(actions[music.identifier].map(\.type) == ["new"])
    }
  }

  @Test("After the removal of the file, it is written again") func removed() throws {
    let actions = actions()
    try actions.set([Self.action("new")], of: photos.identifier)
    try folder.remove(Self.name)
    try actions.storeAgain()
    #expect(self.actions()[photos.identifier].map(\.type) == ["new"])
  }

  @Test("G4: types that differ in the Unicode form only are two types") func unicodeForms() throws {
    let actions = actions()
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    let list = [
      QuickAction(type: decomposed, title: "1"), QuickAction(type: composed, title: "2"),
    ]
    try actions.set(list, of: photos.identifier)
    #expect(try actions.action(composed, of: photos).title == "2")
    #expect(try actions.action(decomposed, of: photos).title == "1")
    // A change of the form is a change.
    try actions.set([QuickAction(type: decomposed, title: "2")], of: photos.identifier)
    try actions.set([QuickAction(type: composed, title: "2")], of: photos.identifier)
    #expect(throws: BusError.self) { try actions.action(decomposed, of: photos) }
    #expect(try actions.action(composed, of: photos).title == "2")
  }

  @Test("An action is found by its type, also when menus have no room; a refusal names the types")
  func types() throws {
    let actions = actions()
    try actions.set((1...4).map { Self.action("dynamic-\($0)") }, of: photos.identifier)
    #expect(try actions.action("static", of: photos) == Self.action("static"))
    #expect(try actions.action("dynamic-4", of: photos) == Self.action("dynamic-4"))
    let error = #expect(throws: BusError.self) { try actions.action("none", of: photos) }
    #expect(
      error?.text
        == "type: com.example.photos has no quick action 'none'; it has static, dynamic-1, dynamic-2,"
        + " dynamic-3, dynamic-4")
    let music = try InstalledApplication.named("music")
    #expect(
      #expect(throws: BusError.self) { try actions.action("none", of: music) }?.text
        == "type: com.example.music has no quick action 'none'; it has none")
  }
}
