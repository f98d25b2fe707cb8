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

  /// The display of the caller, for a process that is started for the caller.
  private static let display = displayNames + ["XAUTHORITY"]

  /// The names of the variables that name a display.
  package static let displayNames = ["DISPLAY", "WAYLAND_DISPLAY"]

  package static let names = [BridgeHops.variable, opener, chromeDesktop] + mozilla + display

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

  /// The variables that name the display of the caller; empty without a display.
  package static func display(in variables: [String: String]) -> [String: String] {
    let found = variables.filter { display.contains($0.key) && !$0.value.isEmpty }
    return namesDisplay(found) ? found : [:]
  }

  /// Whether an environment names a display, so that programs with windows can run.
  package static func namesDisplay(_ variables: [String: String]) -> Bool {
    displayNames.contains { variables[$0]?.isEmpty == false }
  }

  package static func hops(in variables: [String: String]) -> BridgeHops? {
    variables[BridgeHops.variable].flatMap(BridgeHops.init)
  }
}
