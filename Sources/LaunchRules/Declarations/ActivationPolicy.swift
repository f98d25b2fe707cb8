/// Whether an application appears in lists of running applications (R1.30, R1.31).
package enum ActivationPolicy: String, Hashable, Sendable {
  case regular
  /// `LSUIElement`: the application may become active, but does not appear in lists.
  case accessory
  /// `LSBackgroundOnly`: the application never becomes visible.
  case prohibited
}
