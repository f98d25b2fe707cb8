import Foundation
import Host
import LaunchRules
import Testing

@testable import RegistryLoading

@Suite("A folder of applications", .timeLimit(.minutes(30))) struct FolderTests {
  private let world: LoaderWorld

  init() throws { world = try LoaderWorld() }

  @Test("is read at the start, and what comes, changes and goes is seen") func propertyList()
    async throws
  {
    try world.install("com.example.first", at: "Applications/first.plist")
    await world.loader.start()
    #expect(world.registry.identifiers == [id("com.example.first")])
    try world.install("com.example.second", at: "Applications/second.plist")
    try await world.wait { $0.isInstalled(id("com.example.second")) }
    try world.install("com.example.second", "Two", at: "Applications/second.plist")
    try await world.wait { _ in world.name(of: "com.example.second") == "Two" }
    try world.remove("Applications/second.plist")
    try await world.wait { !$0.isInstalled(id("com.example.second")) }
    #expect(world.registry.identifiers == [id("com.example.first")])
  }

  @Test(
    "holds bundles of either layout", arguments: ["Info.plist", "Contents/Info.plist"])
  func bundle(_ inner: String) async throws {
    await world.loader.start()
    #expect(world.registry.identifiers == [])
    try world.installBundle("com.example.a", "One", inner: inner, at: "Applications/a.app")
    try await world.wait { $0.isInstalled(id("com.example.a")) }
    try world.install("com.example.a", "Two", at: "Applications/a.app/" + inner)
    try await world.wait { _ in world.name(of: "com.example.a") == "Two" }
    try world.remove("Applications/a.app")
    try await world.wait { !$0.isInstalled(id("com.example.a")) }
  }

  @Test("is followed through a symbolic link to a file elsewhere, whenever the link was made")
  func link() async throws {
    let target = try world.install("com.example.a", at: "Elsewhere/a.plist")
    let other = try world.install("com.example.b", at: "Elsewhere/b.plist")
    let files = FileManager.default
    try files.createSymbolicLink(
      atPath: world.path + "/Applications/a.plist", withDestinationPath: target)
    await world.loader.start()
    #expect(world.name(of: "com.example.a") == "One")
    try files.createSymbolicLink(
      atPath: world.path + "/Applications/b.plist", withDestinationPath: other)
    try await world.wait { $0.isInstalled(id("com.example.b")) }
    try world.install("com.example.a", "Two", at: "Elsewhere/a.plist")
    try await world.wait { _ in world.name(of: "com.example.a") == "Two" }
    try world.install("com.example.b", "Two", at: "Elsewhere/b.plist")
    try await world.wait { _ in world.name(of: "com.example.b") == "Two" }
    try world.remove("Elsewhere/a.plist")
    try await world.wait { !$0.isInstalled(id("com.example.a")) }
  }

  @Test("keeps what it can read when one property list is broken, and says what is wrong with it")
  func broken() async throws {
    try world.install("com.example.good", schemes: ["good"], at: "Applications/good.plist")
    let broken = try world.write("nonsense", to: "Applications/broken.plist")
    await world.loader.start()
    #expect(world.registry.identifiers == [id("com.example.good")])
    #expect(world.loaded.diagnostics(of: broken).map(\.severity) == [.error])
    #expect(world.loaded.diagnostics(of: world.path + "/Applications/good.plist") == [])
  }

  @Test("of many new property lists changes the registry once, and all of them count")
  func many() async throws {
    await world.loader.start()
    for index in 0..<200 {
      try world.install(
        "com.example.many\(index)", schemes: ["many"], at: "Elsewhere/many\(index).plist")
    }
    let generation = world.registry.generation
    var changes: [RegistryChange] = []
    world.loaded.onChange = { changes.append($0) }
    let files = FileManager.default
    let folder = world.path + "/Applications"
    try files.removeItem(atPath: folder)
    try files.moveItem(atPath: world.path + "/Elsewhere", toPath: folder)
    await world.loader.reload()
    #expect(world.registry.candidateCount(for: scheme("many")) == 200)
    #expect(world.registry.generation == generation + 1)
    #expect(changes.map(\.changesRegistry) == [true])
    #expect(changes.first?.applications == nil)
  }

  @Test("tells the one application of an executable") func executable() async throws {
    let own = try #require(ProcessDetails(of: getpid())?.executable)
    await world.loader.start()
    #expect(world.loaded.owner(of: own) == .ofNobody)
    let list = LoaderWorld.propertyList("com.example.own", "Own")
      .replacingOccurrences(of: "/usr/bin/true", with: own.path)
    try world.write(list, to: "Applications/own.plist")
    try await world.wait { $0.isInstalled(id("com.example.own")) }
    #expect(world.loaded.owner(of: own) == .of(id("com.example.own")))
    try world.write(
      list.replacingOccurrences(of: "com.example.own", with: "com.example.other"),
      to: "Applications/other.plist")
    try await world.wait { $0.isInstalled(id("com.example.other")) }
    // Two have it now, so it tells nothing.
    #expect(world.loaded.owner(of: own) == .ofNobody)
  }

  /// A process of an application became a process of nobody, which may act for the user, when an update replaced
  /// the file.
  @Test("knows whose executable was replaced or deleted", arguments: [true, false])
  func replaced(isReplaced: Bool) async throws {
    let program = world.path + "/program"
    try FileManager.default.copyItem(atPath: "/usr/bin/sleep", toPath: program)
    try world.write(
      LoaderWorld.propertyList("com.example.own", "Own")
        .replacingOccurrences(of: "/usr/bin/true", with: program), to: "Applications/own.plist")
    let process = try ChildProcess(
      Launch(executable: program, arguments: ["600"], environment: [:])
    ) { _ in }
    defer { kill(process.pid, SIGKILL) }
    try #require(ProcessDetails(of: process.pid)?.executable?.path == program)
    if isReplaced {
      try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: program + ".new")
      #expect(unsafe rename(program + ".new", program) == 0)
    } else {
      try FileManager.default.removeItem(atPath: program)
    }
    await world.loader.start()
    let executable = try #require(ProcessDetails(of: process.pid)?.executable)
    #expect(world.loaded.owner(of: executable) == .replaced(id("com.example.own")))
  }
}
