/// The variables of a caller that the rules look at.
package enum CallerVariables {
  /// What `CHROME_DESKTOP` says counts only where there is this one.
  private static let opener = "MM_NOTTTY"
  private static let chromeDesktop = "CHROME_DESKTOP"

  package static let names = [BridgeHops.variable, opener, chromeDesktop]

  /// For `WebOrigin.Evidence`.
  package static func chromeDesktop(in variables: [String: String]) -> String? {
    variables[opener] == nil ? nil : variables[chromeDesktop]
  }

  package static func hops(in variables: [String: String]) -> BridgeHops? {
    variables[BridgeHops.variable].flatMap(BridgeHops.init)
  }
}
