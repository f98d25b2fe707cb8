/// A caller that is, or may be, an iOS application. Its declarations limit its queries and opens (R3.3).
package struct SandboxedCaller: Hashable, Sendable, CustomStringConvertible {
  /// Nil when the application is unknown.
  package let identifier: BundleIdentifier?

  package var description: String {
    identifier.map { "\($0) is an iOS application" }
      ?? "the caller may descend from an iOS application"
  }
}

extension Registry {
  /// Nil for the user's own programs and for applications of macOS.
  package func sandboxed(_ caller: Caller) -> SandboxedCaller? {
    switch caller {
    case .application(let own, _) where application(own)?.declaration.platform == .iOS:
      SandboxedCaller(identifier: own)
    case .orphan(isSandboxed: true): SandboxedCaller(identifier: nil)
    case .application, .orphan, .unidentified: nil
    }
  }
}
