import ApplicationFolders
import Foundation
import Glibc
import Host
import LaunchRules
import RegistryLoading
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("The registry of the daemon", .timeLimit(.minutes(30)))
struct RegistryStoreTests {
  @Test("A property list that is added, changed or removed is seen, and told of once each")
  func folders() async throws {
    let world = try RegistryWorld()
    try world.install("photos", schemes: ["photos"])
    await world.store.start()
    #expect(world.handlers("photos") == ["com.example.photos"])
    try world.install("music", schemes: ["music"])
    try await world.wait { $0.application(RegistryWorld.id("music")) != nil }
    let before = world.store.registry.generation
    try world.install("photos", schemes: ["pictures"])
    try await world.wait { !$0.candidates(for: RegistryWorld.scheme("pictures")).isEmpty }
    #expect(world.store.registry.generation > before)
    #expect(world.handlers("photos") == [])
    try FileManager.default.removeItem(atPath: world.path("Applications/photos.plist"))
    try await world.wait { $0.application(RegistryWorld.id("photos")) == nil }
    #expect(world.handlers("pictures") == [])
    #expect(world.handlers("music") == ["com.example.music"])
  }

  @Test("A damaged property list registers nothing, and the linter says why; others are registered")
  func damaged() async throws {
    let world = try RegistryWorld()
    try world.install("photos", schemes: ["photos"])
    try world.write("<plist><dict>", to: "Applications/damaged.plist")
    await world.store.start()
    #expect(world.store.registry.applications.map(\.identifier.text) == ["com.example.photos"])
    let found = try await world.store.lint(world.path("Applications/damaged.plist"))
    #expect(found.contains { $0.severity == .error })
    await #expect(throws: RegistryRefusal.self) {
      try await world.store.lint(world.path("Applications/none.plist"))
    }
  }

  @Test("E4: the linter names the application that gets the URLs, before and after a registration")
  func lintOfEquals() async throws {
    let world = try RegistryWorld()
    func install(_ name: String, changed seconds: TimeInterval) throws -> String {
      let path = try world.install(name, schemes: ["photos"], in: "Elsewhere")
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path)
      return path
    }
    /// The application that gets the URLs, by the findings about a property list.
    func winner(_ path: String) async throws -> String? {
      let found = try await world.store.lint(path).filter { $0.keyPath == "CFBundleURLTypes" }
      return found.first?.consequence.prefix { $0 != " " }.description
    }
    let (first, second) = (
      try install("first", changed: 2_000_000), try install("second", changed: 1_000_000)
    )
    await world.store.start()
    _ = try await world.store.register(first, [:])
    #expect(try await winner(second) == "com.example.second")
    _ = try await world.store.register(second, [:])
    #expect(world.handlers("photos").first == "com.example.second")
    #expect(try await winner(second) == "com.example.second")
    #expect(try await winner(first) == "com.example.second")
  }

  @Test("What the user registered and chose is there for the next daemon, and can be taken back")
  func choices() async throws {
    let world = try RegistryWorld()
    for name in ["photos", "viewer"] { try world.install(name, schemes: ["photos"]) }
    let elsewhere = try world.install("editor", schemes: ["photos"], in: "Elsewhere")
    await world.store.start()
    #expect(try await world.store.register(elsewhere, [:]).text == "com.example.editor")
    let photos = RegistryWorld.scheme("photos")
    for name in ["photos", "viewer", "editor"] {
      try world.store.bind(photos, to: RegistryWorld.id(name))
      #expect(world.handlers("photos").first == "com.example.\(name)")
    }
    try world.store.bind(photos, to: RegistryWorld.id("viewer"))
    await world.restart()
    #expect(world.handlers("photos").first == "com.example.viewer")
    #expect(world.handlers("photos").contains("com.example.editor"))
    try world.store.unregister(RegistryWorld.id("editor"))
    try world.store.bind(photos, to: nil)
    await world.store.settle()
    await world.restart()
    #expect(Set(world.handlers("photos")) == ["com.example.photos", "com.example.viewer"])
  }

  @Test("A choice for an application that is not there, or does not claim it, is refused")
  func refused() async throws {
    let world = try RegistryWorld(maximumRegistrations: 1)
    try world.install("music", schemes: ["music"])
    let paths = try ["one", "two"].map { try world.install($0, schemes: [$0], in: "Elsewhere") }
    await world.store.start()
    let unknown = #expect(throws: RegistryRefusal.self) {
      try world.store.bind(RegistryWorld.scheme("music"), to: RegistryWorld.id("none"))
    }
    guard case .notRegistered("no application com.example.none is registered") = unknown else {
      Issue.record("refused for another reason: \(String(describing: unknown))")
      return
    }
    let objection = #expect(throws: RegistryRefusal.self) {
      try world.store.bind(RegistryWorld.scheme("photos"), to: RegistryWorld.id("music"))
    }
    guard case .notPermitted = objection else {
      Issue.record("refused for another reason: \(String(describing: objection))")
      return
    }
    _ = try await world.store.register(paths[0], [:])
    let limit = await #expect(throws: RegistryRefusal.self) {
      try await world.store.register(paths[1], [:])
    }
    guard case .limitExceeded = limit else {
      Issue.record("refused for another reason: \(String(describing: limit))")
      return
    }
    #expect(try world.store.forgetRegistrations(missingOnly: false) == [paths[0]])
    _ = try await world.store.register(paths[1], [:])
  }

  @Test("A damaged file of choices is moved aside, and the daemon starts without them")
  func damagedChoices() async throws {
    let world = try RegistryWorld()
    try world.install("photos", schemes: ["photos"])
    await world.store.start()
    try world.store.bind(RegistryWorld.scheme("photos"), to: RegistryWorld.id("photos"))
    try world.write("not a property list", to: "state/registry.plist")
    await world.restart()
    #expect(world.handlers("photos") == ["com.example.photos"])
    #expect(FileManager.default.fileExists(atPath: world.path("state/registry.plist.damaged")))
  }

  @Test("Files of the state folder that were removed are written again from memory")
  func storedAgain() async throws {
    let world = try RegistryWorld()
    for name in ["photos", "viewer"] { try world.install(name, schemes: ["photos"]) }
    await world.store.start()
    try world.store.bind(RegistryWorld.scheme("photos"), to: RegistryWorld.id("photos"))
    try FileManager.default.removeItem(atPath: world.path("state"))
    try world.store.storeAgain()
    await world.restart()
    #expect(world.handlers("photos").first == "com.example.photos")
  }

  @Test("Of very many applications a search gives a page at a time, in the order of identifiers")
  func pages() async throws {
    let world = try RegistryWorld()
    for number in 100..<250 { try world.install("n\(number)", schemes: ["n"]) }
    await world.store.start()
    let first = await world.store.find(.all(after: ""))
    #expect(first.count == 100)
    #expect(first.first?.identifier.text == "com.example.n100")
    let rest = await world.store.find(.all(after: "com.example.n199"))
    #expect(rest.map(\.identifier.text) == (200..<250).map { "com.example.n\($0)" })
    #expect(await world.store.find(.all(after: "com.example.n249")).isEmpty)
  }

  private static let sdk8 = "<key>DTSDKName</key><string>iphoneos8.4</string>"

  @Test("Questions of a caller that was linked before iOS 9 are counted, also after a restart")
  func quotas() async throws {
    let world = try RegistryWorld()
    try world.install("old", schemes: ["old"], more: Self.sdk8)
    try world.install("photos", schemes: ["photos"])
    await world.store.start()
    let caller = ActingCaller.identified(RegistryWorld.id("old"), .executable)
    for number in 1...LegacyQuota.limit {
      _ = world.store.canOpen(RegistryWorld.scheme("s\(number)"), caller)
    }
    #expect(!world.store.canOpen(RegistryWorld.scheme("photos"), caller).isYes)
    await world.restart()
    #expect(!world.store.canOpen(RegistryWorld.scheme("photos"), caller).isYes)
    // Another file counts as a new installation (R3.8), the same file does not (F5).
    let path = try world.install("old", schemes: ["old"], more: Self.sdk8)
    _ = try await world.store.register(path, [:])
    #expect(!world.store.canOpen(RegistryWorld.scheme("photos"), caller).isYes)
    try world.install("old", schemes: ["old", "older"], more: Self.sdk8)
    _ = try await world.store.register(path, [:])
    #expect(world.store.canOpen(RegistryWorld.scheme("photos"), caller).isYes)
  }
}

/// A registry store with folders of its own, which are removed at the end.
@MainActor final class RegistryWorld {
  private(set) var store: RegistryStore
  private let folder: String
  private let maximumRegistrations: Int
  private var changes = EventStream<Void>()

  init(maximumRegistrations: Int = 100) throws {
    folder = try Self.makeFolder()
    self.maximumRegistrations = maximumRegistrations
    store = Self.makeStore(folder, maximumRegistrations)
    connect()
  }

  isolated deinit {
    store.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func makeFolder() throws -> String {
    let made = StateFolder.root + "/registry-store-" + UUID().uuidString
    for name in ["Applications", "Elsewhere", "state", "cache"] {
      try FileManager.default.createDirectory(
        atPath: made + "/" + name, withIntermediateDirectories: true)
    }
    return made
  }

  private static func makeStore(_ folder: String, _ maximumRegistrations: Int) -> RegistryStore {
    RegistryStore(
      .init(
        // As a user may write it.
        folders: [ApplicationFolder(folder + "//Applications/")], stateFolder: folder + "/state",
        cache: RecordCache(path: folder + "/cache/applications", program: "tests"),
        lookInterval: 1_000_000, policy: CollisionPolicy(.lastInstalled, seed: 0),
        maximumRegistrations: maximumRegistrations),
      Journal(program: "registry-tests", environment: [:], descriptor: -1))
  }

  private func connect() {
    changes = EventStream()
    store.onChange = { [changes] _ in changes.add(()) }
  }

  /// The daemon ends, and another one starts.
  func restart() async {
    store.stop()
    store = Self.makeStore(folder, maximumRegistrations)
    connect()
    await store.start()
  }

  /// Returns after the change with which it becomes true.
  func wait(until isTrue: (Registry) -> Bool) async throws {
    while !isTrue(store.registry) { try await changes.next() }
  }

  func handlers(_ scheme: String) -> [String] {
    store.registry.candidates(for: Self.scheme(scheme)).map(\.identifier.text)
  }

  static func id(_ name: String) -> BundleIdentifier { BundleIdentifier("com.example.\(name)")! }
  static func scheme(_ name: String) -> URLScheme { URLScheme(name)! }

  // MARK: Files

  func path(_ name: String) -> String { folder + "/" + name }

  /// Puts a file to its place at once.
  func write(_ text: String, to name: String) throws {
    try text.write(toFile: path("unfinished"), atomically: false, encoding: .utf8)
    try #require(unsafe rename(path("unfinished"), path(name)) == 0)
  }

  /// - Parameter more: of the property list.
  /// - Returns: the path of the property list.
  @discardableResult func install(
    _ name: String, schemes: [String], in place: String = "Applications", more: String = ""
  ) throws -> String {
    let claims = schemes.map { "<string>\($0)</string>" }.joined()
    try write(
      """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>com.example.\(name)</string>
      <key>ProgramArguments</key><array><string>/usr/bin/true</string></array>
      <key>CFBundleURLTypes</key><array><dict>
      <key>CFBundleURLSchemes</key><array>\(claims)</array></dict></array>\(more)
      </dict></plist>
      """, to: "\(place)/\(name).plist")
    return path("\(place)/\(name).plist")
  }
}
