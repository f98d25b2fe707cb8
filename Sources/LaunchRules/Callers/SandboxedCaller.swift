/// A caller that is, or may be, an iOS application, whose declarations limit its queries and opens (R3.3); or a remote
/// or an outsider, which learn as little about the applications of this machine.
package struct SandboxedCaller: Hashable, Sendable, CustomStringConvertible {
  /// Nil when the application is unknown, and for a remote or an outsider.
  package let identifier: BundleIdentifier?
  package var remote: RemoteName?
  package var outsider: Outsider?

  package var description: String {
    if let outsider { return "\(outsider)" }
    if let remote { return "the caller is \(remote), another machine or a container" }
    return identifier.map { "\($0) is an iOS application" }
      ?? "the caller may descend from an iOS application"
  }

  /// The next step of an opener whose user could not be asked; nil without one.
  var adviceOfUnasked: String? {
    if outsider != nil { return Outsider.advice }
    return remote.map {
      "on the machine of the user, 'lsregister remote allow \($0.text) SCHEME' opens the URLs of a scheme without a"
        + " question. The user is always asked about pages of that machine or of its local network: let a desktop or"
        + " a confirmation agent there ask, or switch the row system-remote of the setting Confirmations off there"
    }
  }

  /// The failure for an open that such callers may not request.
  /// - Parameter denied: such as `may not choose the handler of a URL`.
  func refusal(_ denied: String) -> OpenFailure {
    outsider == nil
      ? .notPermitted("\(self), which \(denied)")
      : .notPermitted("\(self), and \(denied); \(Outsider.advice)")
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
    case .remote(let name): SandboxedCaller(identifier: nil, remote: name)
    case .outsider(let outsider): SandboxedCaller(identifier: nil, outsider: outsider)
    case .application, .orphan, .unidentified: nil
    }
  }
}
