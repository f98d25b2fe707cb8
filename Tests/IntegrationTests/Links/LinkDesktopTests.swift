import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

private let missing = ["gio", "update-desktop-database", "python3"]
  .filter { !Desktop.isInstalled($0) }.joined(separator: " ")

@MainActor
@Suite(
  "Universal links of desktop programs", .timeLimit(.minutes(30)),
  .enabled(if: missing.isEmpty, "needs \(missing)"))
struct LinkDesktopTests {
  static let app = "com.example.shop"

  /// A desktop whose default browser is the entry that was exported; `former` was it before.
  static func withDefault(
    handsBack: Bool = false,
    _ body: @MainActor (Testbed, Desktop, ScriptedHandler) async throws -> Void
  ) async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install(
        "former", schemes: ["http", "https"],
        arguments: handsBack ? "--run=\(Desktop.products)/lsopen+https://other.example/" : "")
      try desktop.setDefault("http", "former")
      try desktop.setDefault("https", "former")
      try await desktop.installBridge(
        "org.launchservices.system.Safari", schemes: ["http", "https"])
      let shop = try await world.installLinked(app)
      try await world.addAssociationFile(Association.file(app))
      try await desktop.command("lsregister", "desktop", "enable", "http", "https")
      try await body(world, desktop, shop)
    }
  }

  @Test("R8.19 a link of a desktop program reaches the application; others the former browser")
  func handedOver() async throws {
    try await Self.withDefault { world, desktop, shop in
      try await desktop.command("gio", "open", "https://shop.sites.example/buy/1")
      try await shop.next(.continued("https://shop.sites.example/buy/1"))
      #expect(desktop.recordings == 0)
      try await desktop.command("gio", "open", "https://shop.sites.example/sell")
      #expect(
        try await desktop.recorded().arguments == ["former", "https://shop.sites.example/sell"])
      #expect(shop.heard() == [])
    }
  }

  @Test("A former browser that hands a link back is refused, and there is no redirect loop")
  func cycle() async throws {
    try await Self.withDefault(handsBack: true) { world, desktop, _ in
      try await desktop.command("gio", "open", "https://other.example/")
      let line = try await world.daemon.line(containing: "ran ")
      #expect(line.contains("opens the URL with Launch Services again; choose another"), "\(line)")
      #expect(desktop.recordings == 1)
    }
  }
}
