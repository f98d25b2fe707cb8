/// What a request asks for, in 64 bits, so that a repetition can be told from another request without
/// keeping what may be secret in it.
///
/// FNV-1a. It protects callers from their own mistakes: nobody sees the requests of another caller.
package struct RequestFingerprint: Hashable, Sendable {
  package let value: UInt64

  /// - Parameters:
  ///   - payload: The whole URL, or the type of a quick action; empty for an application itself.
  ///   - designated: The application that the opener chose; that of a quick action.
  package init(
    _ kind: OpenRequest.Kind, _ payload: String, designated: BundleIdentifier?,
    newInstance: Bool
  ) {
    var hash = FNV1a()
    hash.add(kind.code)
    hash.add(payload)
    hash.add(designated?.text ?? "")
    hash.add(newInstance ? 1 : 0)
    value = hash.value
  }
}

extension OpenRequest.Kind {
  /// Kept in records: a number is never given to another kind.
  fileprivate var code: UInt8 {
    switch self {
    case .url, .userActivity: 1
    case .quickAction: 2
    case .application: 3
    }
  }
}
