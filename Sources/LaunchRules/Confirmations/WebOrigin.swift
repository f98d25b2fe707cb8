/// Finds out whether an open comes from a page in a browser.
///
/// An opener that fakes the evidence gets more questions, never fewer.
package struct WebOrigin: Hashable, Sendable {
  /// The file names of browsers' executables.
  package var browsers: Set<String>

  package init(browsers: Set<String> = WebOrigin.knownBrowsers) { self.browsers = browsers }

  package static let knownBrowsers: Set = [
    "brave", "brave-browser", "chrome", "chromium", "chromium-browser", "epiphany",
    "epiphany-browser",
    "falkon", "firefox", "firefox-bin", "firefox-esr", "google-chrome", "konqueror", "librewolf",
    "microsoft-edge", "msedge", "opera", "qutebrowser", "vivaldi", "vivaldi-bin", "waterfox",
    "WebKitWebProcess", "zen", "zen-bin",
  ]

  /// What is known of the process that opens.
  package struct Evidence: Hashable, Sendable {
    /// The file names of the executables of the process and of those above it.
    package var executables: [String]
    /// Its control group, such as `/…/app.slice/app-firefox-2049.scope`.
    package var controlGroup: String?
    /// What Chromium and its kin leave in the environment of what they open a link with, which is
    /// all that is left when `gio open` has ended: the variable `CHROME_DESKTOP` where there is
    /// `MM_NOTTTY`.
    package var chromeDesktop: String?

    package init(
      executables: [String] = [], controlGroup: String? = nil, chromeDesktop: String? = nil
    ) {
      self.executables = executables
      self.controlGroup = controlGroup
      self.chromeDesktop = chromeDesktop
    }
  }

  /// - Parameters:
  ///   - isFromBrowser: what the evidence says about the process that opens.
  ///   - opener: the registered application that opens, which may be a browser itself.
  package static func origin(
    isFromBrowser: Bool, opener: InstalledApplication?
  ) -> ConfirmationTable.Origin {
    isFromBrowser || opener.map(isBrowser) == true ? .web : .application
  }

  /// Whether a browser has started the process, directly or not.
  package func showsBrowser(_ evidence: Evidence) -> Bool {
    if evidence.executables.contains(where: browsers.contains) { return true }
    if let unit = evidence.controlGroup?.split(separator: "/").last.map(String.init),
      Self.names(in: unit).contains(where: browsers.contains)
    {
      return true
    }
    // Other programs are made of Chromium, too; theirs names another entry.
    guard let entry = evidence.chromeDesktop else { return false }
    return browsers.contains { "\($0).desktop" == entry }
  }

  /// It claims both schemes of the web (R1.44).
  private static func isBrowser(_ application: InstalledApplication) -> Bool {
    let schemes = Set(application.declaration.urlTypes.flatMap(\.schemes).map(\.text))
    return schemes.isSuperset(of: ["http", "https"])
  }

  /// The words of a unit's name: `app-gnome-firefox-2049.scope` has the word `firefox`. In a name
  /// that was escaped `\x2d` is a dash.
  private static func names(in unit: String) -> [String] {
    guard unit.hasPrefix("app-") else { return [] }
    let name = unit.split(separator: ".").dropLast().joined(separator: ".")
    let parts = name.split(separator: "-").map(String.init)
    return parts.flatMap { part in
      let whole = part.split(separator: "@").first.map(String.init) ?? part
      let plain = unescaped(whole).lowercased()
      return [plain] + plain.split(separator: ".").suffix(1).map(String.init)
    }
  }

  private static func unescaped(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "\\") {
      result += rest[..<mark]
      guard rest[mark...].hasPrefix("\\x2d") else {
        result += "\\"
        rest = rest[rest.index(after: mark)...]
        continue
      }
      result += "-"
      rest = rest[rest.index(mark, offsetBy: 4)...]
    }
    return result + rest
  }
}
