/// The environment variables of callers that the rules use.
package enum CallerVariables {
  /// Set by Chromium and browsers based on Chromium for all their child processes.
  private static let chromeDesktop = "CHROME_DESKTOP"
  /// Additionally set by these browsers for processes that open a link.
  private static let opener = "MM_NOTTTY"
  /// Set by Mozilla programs for all their child processes. Users set other variables with the prefix `MOZ_`
  /// themselves.
  private static let mozilla = [
    "MOZ_CRASHREPORTER_DATA_DIRECTORY", "MOZ_CRASHREPORTER_EVENTS_DIRECTORY",
    "MOZ_CRASHREPORTER_PING_DIRECTORY", "MOZ_LAUNCHED_CHILD",
  ]

  package static let names = [BridgeHops.variable, opener, chromeDesktop] + mozilla

  /// The desktop entry of the browser that started the caller or one of its ancestors.
  static func chromeDesktop(in variables: [String: String]) -> String? { variables[chromeDesktop] }

  /// The desktop entry of a browser that started the caller to open a link. This variable is the only
  /// evidence left after `gio open` has ended.
  static func chromeDesktopOfOpener(in variables: [String: String]) -> String? {
    variables[opener] == nil ? nil : variables[chromeDesktop]
  }

  static func mozilla(in variables: [String: String]) -> Bool {
    mozilla.contains { variables[$0] != nil }
  }

  package static func hops(in variables: [String: String]) -> BridgeHops? {
    variables[BridgeHops.variable].flatMap(BridgeHops.init)
  }
}
