/// Decides whether the terminal of the opener may ask the user.
package enum TerminalRule {
  /// The reason why the terminal may not ask; nil when it may. The terminal of an application or a browser could answer
  /// for the user.
  package static func objection(
    toTerminalOf caller: Caller, about origin: ConfirmationTable.Origin
  ) -> String? {
    guard caller == .unidentified else { return "the terminal of an application is not asked" }
    return switch origin {
    case .application: nil
    case .web: "the terminal of the opener is not asked about a link of a web page"
    case .remote: "the terminal of another machine is not asked"
    }
  }
}
