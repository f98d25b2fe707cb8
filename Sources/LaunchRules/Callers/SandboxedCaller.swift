/// A caller that is, or may be, an iOS application. Its declarations limit its queries and opens (R3.3).
package struct SandboxedCaller: Hashable, Sendable, CustomStringConvertible {
  /// Nil when the application is unknown.
  package let identifier: BundleIdentifier?

  package var description: String {
    identifier.map { "\($0) is an iOS application" }
      ?? "the caller may descend from an iOS application"
  }
}

extension ApplicationDeclaration {
  fileprivate var isSandboxed: Bool { platform == .iOS && !isDesktopBridge }
}

extension Registry {
  /// Nil for the user's own programs, for applications of macOS and for the desktop bridge, which is a part of Launch
  /// Services.
  package func sandboxed(_ caller: Caller) -> SandboxedCaller? {
    switch caller {
    case .application(let own, _) where application(own)?.declaration.isSandboxed == true:
      SandboxedCaller(identifier: own)
    case .orphan(isSandboxed: true): SandboxedCaller(identifier: nil)
    case .application, .orphan, .unidentified: nil
    }
  }
}
