import BusContract
import DBus
import Foundation
import LaunchRules
import LaunchServicesTesting
import Testing

private let missing =
  Browser.missing.joined(separator: " ")
  + (Desktop.isInstalled("update-desktop-database") ? "" : " desktop-file-utils")

/// Chromium, told by the policies of Legacy Browser Support to hand the links of a site to the desktop.
@MainActor
@Suite(
  "Universal links that are clicked in a browser", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: missing.isEmpty, "needs the packages \(missing)"))
struct LinkBrowserTests {
  private static let site = "https://shop.sites.example"

  nonisolated static let openers = [
    ["/usr/bin/gio", "open", "${url}"], [Desktop.products + "/lsopen"],
  ]

  /// - Parameter opener: with its arguments, which default to the URL.
  private static func policy(_ opener: [String] = openers[0]) -> [String: PropertyListValue] {
    [
      "BrowserSwitcherEnabled": true, "BrowserSwitcherUrlList": ["shop.sites.example"],
      "AlternativeBrowserPath": .string(opener[0]),
      "AlternativeBrowserParameters": .array(opener.dropFirst().map(PropertyListValue.string)),
      "BrowserSwitcherKeepLastChromeTab": true, "BrowserSwitcherDelay": 0,
    ]
  }

  /// A page with one link, which is clicked.
  private func click(_ url: String, in browser: Browser) async throws {
    try await browser.driver.go(to: "data:text/html,<a href='\(url)'>link</a>")
    try await browser.driver.click("a")
  }

  @Test(
    "R8.19 R8.23 reach the application; what its site excludes reaches the former browser",
    arguments: openers)
  func handedOver(_ opener: [String]) async throws {
    try await LinkDesktopTests.withDefault { world, desktop, shop in
      try await Browser.run(in: world, policy: Self.policy(opener)) { browser in
        for _ in ["cold", "warm"] {
          try await click(Self.site + "/buy/1?a=%20b", in: browser)
          try await shop.next(.continued(Self.site + "/buy/1?a=%20b"))
        }
        #expect(desktop.recordings == 0)
        try await click(Self.site + "/sell", in: browser)
        #expect(try await desktop.recorded().arguments == ["former", Self.site + "/sell"])
      }
      #expect(desktop.recordings == 1)
      #expect(shop.heard() == [])
    }
  }

  @Test("that come back to the same browser go round a few times, and the user is told")
  func cycle() async throws {
    try await LinkDesktopTests.withDefault { world, desktop, shop in
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let notifications = try TestNotifications(address: address)
      try await Browser.run(in: world, policy: Self.policy()) { browser in
        let arguments = Browser.arguments(profile: Browser.profile(in: world))
        try await desktop.install(
          "former", schemes: ["http", "https"],
          exec: "env DISPLAY=\(browser.screen) /usr/bin/chromium "
            + arguments.joined(separator: " ") + " %u")
        try await click(Self.site + "/sell", in: browser)
        let notice = try await notifications.isShown()
        #expect(notice.summary == Self.site + "/sell is not opened")
        #expect(notice.body.contains("the same URL was opened repeatedly"))
        try await click(Self.site + "/buy/1", in: browser)
        try await shop.next(.continued(Self.site + "/buy/1"))
      }
      let opens = try await world.client.call(Contract.history(HistoryOptions()))
      #expect(opens.first?.asOptionsList?.count == BridgeRepetitions.most + 2)
    }
  }
}
