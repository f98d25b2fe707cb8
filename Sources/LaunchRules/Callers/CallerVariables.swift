/// The variables of a caller that the rules look at.
package enum CallerVariables {
  /// What Chromium and its kin leave in the environment of all that they start.
  private static let chromeDesktop = "CHROME_DESKTOP"
  /// They add this one for what opens a link.
  private static let opener = "MM_NOTTTY"
  /// What programs of Mozilla leave in the environment of all that they start. Other names with `MOZ_` are for users
  /// to set.
  private static let mozilla = [
    "MOZ_CRASHREPORTER_DATA_DIRECTORY", "MOZ_CRASHREPORTER_EVENTS_DIRECTORY",
    "MOZ_CRASHREPORTER_PING_DIRECTORY", "MOZ_LAUNCHED_CHILD",
  ]

  package static let names = [BridgeHops.variable, opener, chromeDesktop] + mozilla

  /// The desktop entry of the program that has started the caller, or has started what started it.
  static func chromeDesktop(in variables: [String: String]) -> String? { variables[chromeDesktop] }

  /// The same, of a program that has started the caller to open a link; it is all that is left when `gio open` has
  /// ended.
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
