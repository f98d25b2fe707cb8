/// A 64-bit hash of the contents of a request. It distinguishes a repetition from a different request without
/// storing possible secrets.
///
/// FNV-1a is sufficient: the hash only detects mistakes of a caller, and callers cannot see the requests of
/// others.
package struct RequestFingerprint: Hashable, Sendable {
  package let value: UInt64

  /// - Parameters:
  ///   - payload: the whole URL, or the type of a quick action; empty for an application.
  ///   - designated: the application that the opener chose, or that of the quick action.
  ///   - device: the device that the opener chose; nil for none.
  package init(
    _ kind: OpenRequest.Kind, _ payload: String, designated: BundleIdentifier?,
    device: String? = nil, newInstance: Bool
  ) {
    var hash = FNV1a()
    hash.add(kind.code)
    hash.add(payload)
    hash.add(designated?.text ?? "")
    hash.add(UInt8(newInstance ? 1 : 0))
    // Without a device, the hash is that of earlier versions.
    if let device { hash.add(device) }
    value = hash.value
  }
}

extension OpenRequest.Kind {
  /// Stored in records: a number must never be assigned to another kind.
  fileprivate var code: UInt8 {
    switch self {
    case .url, .userActivity: 1
    case .quickAction: 2
    case .application: 3
    }
  }
}
