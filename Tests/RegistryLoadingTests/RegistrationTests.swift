import Foundation
import Host
import LaunchRules
import Testing

@testable import RegistryLoading

@Suite("An application that is registered by its path", .timeLimit(.minutes(30)))
struct RegistrationTests {
  private let world: LoaderWorld

  init() throws { world = try LoaderWorld() }

  @Test("is there at once, is watched, and is there after a restart") func remembered() async throws
  {
    await world.loader.start()
    let list = try world.install("com.example.a", at: "Elsewhere/a.plist")
    let application = try await world.register(list)
    #expect(application.identifier == id("com.example.a"))
    #expect(world.name(of: "com.example.a") == "One")
    #expect(world.state.registrations.map(\.path) == [list])
    #expect(application.installedAt == world.state.registrations.first?.registeredAt)
    try world.install("com.example.a", "Two", at: "Elsewhere/a.plist")
    try await world.wait { _ in world.name(of: "com.example.a") == "Two" }
    await world.restart()
    #expect(world.name(of: "com.example.a") == "Two")
    #expect(world.registry.application(id("com.example.a"))?.installedAt == application.installedAt)
  }

  /// The kernel dates files with a clock that is up to 10 ms behind; with a more precise clock for registrations,
  /// an application that is installed within this time counted as installed before.
  @Test("is older than one that is installed in a folder afterwards") func order() async throws {
    await world.loader.start()
    for number in 0..<20 {
      let list = try world.install("com.example.a\(number)", at: "Elsewhere/a\(number).plist")
      let registered = try await world.register(list).installedAt
      try world.install("com.example.b\(number)", at: "Applications/b\(number).plist")
      let later = id("com.example.b\(number)")
      try await world.wait { $0.isInstalled(later) }
      let installed = try #require(world.registry.application(later)).installedAt
      #expect(installed >= registered, "\(number)")
    }
  }

  @Test("has the values of its build variables, also after a restart") func variables() async throws
  {
    await world.loader.start()
    let list = try world.install("com.example.$(NAME)", at: "Elsewhere/a.plist")
    #expect(try await world.register(list, ["NAME": "b"]).identifier == id("com.example.b"))
    await world.loader.settle()
    #expect(world.registry.identifiers == [id("com.example.b")])
    await world.restart()
    #expect(world.registry.identifiers == [id("com.example.b")])
  }

  @Test("is forgotten when it is unregistered, for good") func unregistered() async throws {
    await world.loader.start()
    let list = try world.install("com.example.a", at: "Elsewhere/a.plist")
    _ = try await world.register(list)
    try world.loader.unregister("com.example.a", copies: [list])
    #expect(world.registry.identifiers == [])
    #expect(world.state.registrations == [])
    #expect(
      await refusal { try world.loader.unregister("com.example.a", copies: []) }
        == "not registered")
    await world.restart()
    #expect(world.registry.identifiers == [])
  }

  @Test("stays when it lies in a folder of applications as well") func both() async throws {
    let list = try world.install("com.example.a", at: "Applications/a.plist")
    await world.loader.start()
    #expect(
      await refusal { try world.loader.unregister("com.example.a", copies: [list]) }
        == "not permitted")
    _ = try await world.register(list)
    try world.loader.unregister("com.example.a", copies: [list])
    await world.loader.settle()
    #expect(world.registry.identifiers == [id("com.example.a")])
    #expect(world.state.registrations == [])
  }

  @Test("is forgotten with all that are missing") func missing() async throws {
    await world.loader.start()
    let gone = try world.install("com.example.gone", at: "Elsewhere/gone.plist")
    let kept = try world.install("com.example.kept", at: "Elsewhere/kept.plist")
    for list in [gone, kept] { _ = try await world.register(list) }
    try world.remove("Elsewhere/gone.plist")
    try await world.wait { !$0.isInstalled(id("com.example.gone")) }
    // It is remembered: the disk that it is on may come back.
    #expect(world.choices.registeredPaths == [gone, kept])
    #expect(try world.loader.forgetRegistrations(missingOnly: true) == [gone])
    #expect(world.choices.registeredPaths == [kept])
    #expect(try world.loader.forgetRegistrations(missingOnly: false) == [kept])
    #expect(world.registry.identifiers == [])
  }

  @Test("is refused when it is no application, over the limit, or cannot be stored")
  func refused() async throws {
    await world.restart(limit: 1)
    let one = try world.install("com.example.one", at: "Elsewhere/one.plist")
    let two = try world.install("com.example.two", at: "Elsewhere/two.plist")
    let broken = try world.write("nonsense", to: "Elsewhere/broken.plist")
    #expect(await refusal { _ = try await world.register(broken) } == "invalid bundle")
    #expect(await refusal { _ = try await world.register("/nowhere") } == "invalid bundle")
    world.storeError = FileError(world.path, .notAPrivateFolder)
    #expect(await refusal { _ = try await world.register(one) } == "not stored")
    #expect(world.registry.identifiers == [])
    world.storeError = nil
    _ = try await world.register(one)
    #expect(await refusal { _ = try await world.register(two) } == "limit exceeded")
    // The same one again is not one more.
    _ = try await world.register(one)
    #expect(world.registry.identifiers == [id("com.example.one")])
    world.storeError = FileError(world.path, .notAPrivateFolder)
    #expect(
      await refusal { try world.loader.unregister("com.example.one", copies: [one]) }
        == "not stored")
    #expect(world.registry.identifiers == [id("com.example.one")])
  }
}

@Suite("A chosen handler") struct ChosenHandlerTests {
  private let world: LoaderWorld

  init() throws { world = try LoaderWorld() }

  @Test("of a scheme, a type or a file is stored, and counts after a restart") func stored()
    async throws
  {
    let type = try #require(TypeIdentifier("com.example.type"))
    try world.choices.bind(scheme("x"), to: id("com.example.a"))
    try world.choices.bind(type, to: id("com.example.b"))
    try world.choices.bind(file: "file:///tmp/x", to: id("com.example.c"))
    await world.restart()
    #expect(world.registry.bindings == [scheme("x"): id("com.example.a")])
    #expect(world.registry.documentChoices.types == [type: id("com.example.b")])
    try world.choices.bind(scheme("x"), to: nil)
    try world.choices.bind(type, to: nil)
    try world.choices.bind(file: "file:///tmp/x", to: nil)
    await world.restart()
    #expect(world.registry.bindings == [:])
    #expect(world.registry.documentChoices == DocumentChoices())
  }

  @Test("is refused over the limit, or when it cannot be stored") func refused() async throws {
    world.makeLoader(limit: 1)
    try world.choices.bind(scheme("x"), to: id("com.example.a"))
    try world.choices.bind(scheme("x"), to: id("com.example.b"))
    #expect(
      await refusal { try world.choices.bind(scheme("y"), to: id("com.example.a")) }
        == "limit exceeded")
    world.storeError = FileError(world.path, .notAPrivateFolder)
    #expect(await refusal { try world.choices.bind(scheme("x"), to: nil) } == "not stored")
    #expect(world.state.bindings == ["x": "com.example.b"])
  }
}
