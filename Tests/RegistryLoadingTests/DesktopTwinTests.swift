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

  @Test("are one application, of which the entry keeps the claims that the list does not have")
  func oneApplication() async throws {
    await world.loader.start()
    world.loaded.replaceDesktopApplications([
      record("com.example.own.desktop", ["a", "b"]), record("org.example.other.desktop", ["a"]),
    ])
    #expect(handlers(of: "a") == [entry, id("org.example.other.desktop")])

    try writeList(claiming: ["a"])
    try await world.wait { _ in handlers(of: "a") == [own, id("org.example.other.desktop")] }
    #expect(handlers(of: "b") == [entry])

    try writeList(claiming: ["a", "b"])
    try await world.wait { !$0.isInstalled(entry) }
    #expect(handlers(of: "b") == [own])

    try FileManager.default.removeItem(atPath: world.path + "/Applications/own.plist")
    try await world.wait { $0.isInstalled(entry) }
    #expect(handlers(of: "a") == [entry, id("org.example.other.desktop")])
    #expect(handlers(of: "b") == [entry])
  }

  @Test("are one also when the property list was read first") func listFirst() async throws {
    try writeList(claiming: ["a"])
    await world.loader.start()
    world.loaded.replaceDesktopApplications([record("com.example.own.desktop", ["a"])])
    #expect(!world.registry.isInstalled(entry))
    #expect(handlers(of: "a") == [own])
    world.loaded.replaceDesktopApplications([record("com.example.own.desktop", ["a", "c"])])
    #expect(handlers(of: "c") == [entry])
    world.loaded.replaceDesktopApplications([])
    #expect(!world.registry.isInstalled(entry))
  }
}
