/// Whether an application shows itself among those that run (R1.30, R1.31).
package enum ActivationPolicy: String, Hashable, Sendable {
  case regular
  /// `LSUIElement`: it may come to the front, and is in no list of applications.
  case accessory
  /// `LSBackgroundOnly`: it never shows itself.
  case prohibited
}
