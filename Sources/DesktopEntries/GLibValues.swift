internal import CGIO

/// Copies a text that the caller owns, and frees it.
func take(_ text: UnsafeMutablePointer<CChar>?) -> String? {
  guard let text = unsafe text else { return nil }
  defer { unsafe g_free(text) }
  return unsafe String(cString: text)
}

/// The reason why a GIO call failed: a sentence without its full stop.
package struct DesktopFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// Whether an application may have taken the URL all the same.
  package let mayHaveArrived: Bool

  package init(_ description: String, mayHaveArrived: Bool = false) {
    (self.description, self.mayHaveArrived) = (description, mayHaveArrived)
  }
}

/// Runs a call that reports failure through a `GError` out-parameter.
func catching<Result>(
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result?
) throws(DesktopFailure) -> Result {
  var error: UnsafeMutablePointer<GError>?
  let result = unsafe body(&error)
  defer { if unsafe error != nil { unsafe g_error_free(error) } }
  if let result { return result }
  throw unsafe DesktopFailure(
    error.map { unsafe String(cString: $0.pointee.message) } ?? "GIO does not say why")
}
