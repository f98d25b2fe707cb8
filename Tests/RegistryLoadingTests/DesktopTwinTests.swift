import Foundation
import LaunchRules
import Testing

@testable import RegistryLoading

@Suite("A property list and a desktop entry of one name", .timeLimit(.minutes(30)))
struct DesktopTwinTests {
  private let world: LoaderWorld
  private let own = id("com.example.own")
  private let entry = id("com.example.own.desktop")

  init() throws { world = try LoaderWorld() }

  private func record(_ identifier: String, _ schemes: [String]) -> ApplicationRecord {
    ApplicationRecord(
      InstalledApplication(
        declaration: ApplicationDeclaration(
          identifier: id(identifier), name: "Entry",
          urlTypes: [URLTypeDeclaration(schemes: schemes.map(scheme))], platform: .macOS),
        propertyList: "/usr/share/applications/\(identifier)", folder: "/usr/share/applications",
        origin: .desktopEntry))
  }

  private func handlers(of name: String) -> [BundleIdentifier] {
    world.registry.candidates(for: scheme(name)).map(\.identifier)
  }

  private func writeList(claiming schemes: [String]) throws {
    try world.write(
      LoaderWorld.propertyList("com.example.own", "Own", schemes: schemes),
      to: "Applications/own.plist")
  }

  @Test("are one application: the claims that the list does not have stay, behind other lists")
  func oneApplication() async throws {
    let other = id("org.example.other.desktop")
    await world.loader.start()
    world.loaded.replaceDesktopApplications([
      record("com.example.own.desktop", ["a", "b"]), record("org.example.other.desktop", ["a"]),
    ])
    #expect(handlers(of: "a") == [entry, other])

    try writeList(claiming: ["a"])
    try await world.wait { _ in handlers(of: "a") == [own, other] }
    #expect(handlers(of: "b") == [own])
    #expect(world.registry.application(entry)?.identifier == own)

    try writeList(claiming: ["c"])
    try await world.wait { _ in handlers(of: "c") == [own] }
    #expect(handlers(of: "a") == [own, other])
    #expect(handlers(of: "b") == [own])

    try FileManager.default.removeItem(atPath: world.path + "/Applications/own.plist")
    try await world.wait { _ in handlers(of: "b") == [entry] }
    #expect(handlers(of: "a") == [entry, other])
    #expect(handlers(of: "c") == [])
  }

  @Test("are one also when the property list was read first, and part when the entry goes")
  func listFirst() async throws {
    try writeList(claiming: ["a"])
    await world.loader.start()
    world.loaded.replaceDesktopApplications([record("com.example.own.desktop", ["a"])])
    #expect(world.registry.application(entry)?.identifier == own)
    #expect(handlers(of: "a") == [own])
    world.loaded.replaceDesktopApplications([record("com.example.own.desktop", ["a", "c"])])
    #expect(handlers(of: "c") == [own])
    await world.loader.reload()
    #expect(handlers(of: "c") == [own])
    world.loaded.replaceDesktopApplications([])
    #expect(!world.registry.isInstalled(entry))
    #expect(handlers(of: "c") == [])
    #expect(handlers(of: "a") == [own])
  }
}
