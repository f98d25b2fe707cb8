/// Decides whether the terminal of the opener may ask the user.
package enum TerminalRule {
  /// The terminal of an application or a browser could answer for the user.
  package static func mayAsk(
    atTerminalOf caller: Caller, about origin: ConfirmationTable.Origin
  ) -> Bool {
    caller == .unidentified && origin == .application
  }
}
