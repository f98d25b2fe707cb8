/// Determines whether an open comes from a page in a browser.
///
/// An opener that fakes the evidence can only cause more questions, never fewer.
package struct WebOrigin: Hashable, Sendable {
  /// File names of the executables of browsers.
  package var browsers: Set<String>

  package init(browsers: Set<String> = WebOrigin.knownBrowsers) { self.browsers = browsers }

  package static let knownBrowsers: Set = [
    "brave", "brave-browser", "chrome", "chromium", "chromium-browser", "epiphany",
    "epiphany-browser",
    "falkon", "firefox", "firefox-bin", "firefox-esr", "google-chrome", "konqueror", "librewolf",
    "microsoft-edge", "msedge", "opera", "qutebrowser", "vivaldi", "vivaldi-bin", "waterfox",
    "WebKitWebProcess", "zen", "zen-bin",
  ]

  /// Prefix of the programs of xdg-desktop-portal, which open URLs for other programs.
  private static let portal = "xdg-desktop-portal"
  /// Maximum length of a process name in the kernel, in bytes.
  private static let longestName = 15

  /// The facts about the opening process.
  package struct Evidence: Hashable, Sendable {
    /// File names of the executables of the process and its ancestors.
    package var executables: [String]
    /// The control group of the process, such as `/…/app.slice/app-firefox-2049.scope`.
    package var controlGroup: String?
    /// The initial environment variables of the process, limited to `CallerVariables.names`.
    package var variables: [String: String]
    package var start: Start

    package init(
      executables: [String] = [], controlGroup: String? = nil, variables: [String: String] = [:],
      start: Start = .terminal
    ) {
      self.executables = executables
      self.controlGroup = controlGroup
      self.variables = variables
      self.start = start
    }
  }

  /// The beginning of the chain of processes that led to the opener.
  package enum Start: Hashable, Sendable {
    /// The chain begins at a terminal, with user input.
    case terminal
    /// The chain begins with a process that may have been adopted. One of these programs of the same user may have
    /// started it: they have run for longer, in the same session or control group.
    case adopted(among: [String])
    case unknown
  }

  /// The result of the evaluation.
  package enum Finding: Hashable, Sendable {
    /// No evidence for a page.
    case program
    /// The process may act for a page. This is enough to ask the user, but not enough to deny permissions.
    case possible(Reason)
    case browser
  }

  /// The reason why an open is treated as coming from a page.
  package enum Reason: Hashable, Sendable, CustomStringConvertible {
    case browser, registeredBrowser, link, environment, portal
    case outsider(Outsider)
    case neighbour(String)
    case unknownStart

    package var description: String {
      switch self {
      case .browser: "a browser has started the caller"
      case .registeredBrowser: "the caller is a browser"
      case .link: "the caller declared that the URL is a link"
      case .environment: "the caller has the environment of a browser and no terminal"
      case .portal: "a desktop portal has started the caller"
      case .neighbour(let program):
        "the process that started the caller has ended, and \(program) runs beside it"
      case .unknownStart: "it is unknown which program started the caller"
      case .outsider(let outsider): "\(outsider)"
      }
    }
  }

  /// The reason why an open is treated as coming from a page; nil when it is not.
  /// - Parameters:
  ///   - isLink: whether the caller states that it opens a link of a page.
  ///   - opener: the registered application that opens the URL, which may be a browser.
  package static func reason(
    _ finding: Finding, isLink: Bool, caller: Caller, opener: InstalledApplication?
  ) -> Reason? {
    switch (finding, caller) {
    case (.browser, _): return .browser
    case (_, .outsider(let outsider)): return .outsider(outsider)
    case (.possible(let reason), .unidentified), (.possible(let reason), .orphan): return reason
    // All that the application of a desktop entry starts is in its unit.
    case (.possible(let reason), .application) where opener?.origin == .desktopEntry: return reason
    case (.possible, .application), (.possible, .remote), (.program, _): break
    }
    if isLink { return .link }
    return opener.map(isBrowser) == true ? .registeredBrowser : nil
  }

  /// Whether the name of a program is that of a known browser, or of a portal. The settings may name more browsers.
  package static func mayActForPages(_ program: String) -> Bool {
    WebOrigin().isBrowser(program) || isPortal(program)
  }

  /// The variables that tell the session of a process; see `isOfOtherSession`.
  package static let sessionVariables = places + [socket]

  private static let places = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]
  /// The socket of a daemon, which may be that of this session.
  private static let socket = "LAUNCH_SERVICES_SOCKET"

  /// Whether a process belongs to another session of the user, so that what it starts does not find the daemon of this
  /// session: it has another message bus and another runtime folder, and names no socket of a daemon. False when one of these
  /// is unknown.
  /// - Parameters:
  ///   - variables: the initial environment variables of the process.
  ///   - own: those of a process of this session.
  package static func isOfOtherSession(
    _ variables: [String: String], than own: [String: String]
  ) -> Bool {
    variables[socket] == nil
      && places.allSatisfy { name in
        guard let value = variables[name], let own = own[name], !value.isEmpty, !own.isEmpty else {
          return false
        }
        return plainAddress(value) != plainAddress(own)
      }
  }

  /// The address of a bus without the number of the bus; a path without slashes at the end.
  private static func plainAddress(_ text: String) -> String {
    let parts = text.split(separator: ",").filter { !$0.hasPrefix("guid=") }
    var plain = parts.joined(separator: ",")[...]
    while plain.hasSuffix("/") { plain.removeLast() }
    return String(plain)
  }

  package func finding(_ evidence: Evidence) -> Finding {
    if showsBrowser(evidence) { return .browser }
    let unit = evidence.controlGroup?.split(separator: "/").last
    if unit?.hasPrefix(Self.portal) == true || evidence.executables.contains(where: Self.isPortal) {
      return .possible(.portal)
    }
    switch evidence.start {
    case .terminal: return .program
    case .unknown: return .possible(.unknownStart)
    case .adopted(let neighbours):
      if CallerVariables.mozilla(in: evidence.variables)
        || isBrowserEntry(CallerVariables.chromeDesktop(in: evidence.variables))
      {
        return .possible(.environment)
      }
      guard let neighbour = neighbours.first(where: { isBrowser($0) || Self.isPortal($0) }) else {
        return .program
      }
      return .possible(.neighbour(neighbour))
    }
  }

  private func isBrowser(_ program: String) -> Bool {
    if browsers.contains(program) { return true }
    guard program.utf8.count == Self.longestName else { return false }
    return browsers.contains { $0.hasPrefix(program) }
  }

  private static func isPortal(_ program: String) -> Bool {
    program.hasPrefix(portal.prefix(longestName))
  }

  /// Whether the desktop entry is that of a browser. Other programs based on Chromium set the variable to
  /// their own entry.
  private func isBrowserEntry(_ entry: String?) -> Bool {
    browsers.contains { "\($0).desktop" == entry }
  }

  /// Whether a browser is an ancestor of the process.
  private func showsBrowser(_ evidence: Evidence) -> Bool {
    if evidence.executables.contains(where: browsers.contains) { return true }
    if let unit = evidence.controlGroup?.split(separator: "/").last.map(String.init),
      Self.names(in: unit).contains(where: browsers.contains)
    {
      return true
    }
    return isBrowserEntry(CallerVariables.chromeDesktopOfOpener(in: evidence.variables))
  }

  /// Whether the application claims both web schemes (R1.44).
  private static func isBrowser(_ application: InstalledApplication) -> Bool {
    let schemes = Set(application.declaration.urlTypes.flatMap(\.schemes).map(\.text))
    return schemes.isSuperset(of: ["http", "https"])
  }

  /// The words in the name of a unit, such as `firefox` in `app-gnome-firefox-2049.scope`. An escaped `\x2d`
  /// in the name is a dash.
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
