/// The application that the rules apply to a call, after option `as` was applied.
package enum ActingCaller: Hashable, Sendable {
  /// The caller's own identity.
  case identified(BundleIdentifier, Identification)
  /// A caller without identity that acts as this application, by option `as`.
  case assumed(BundleIdentifier)
  /// An unknown application; treated as no application.
  case orphan
  case unidentified
  /// A caller without identity that is no program of the user's session either.
  case outsider(Outsider)
  /// A remote, or a caller without identity that acts as the remote, by option `as`.
  case remote(RemoteName)

  /// Applies option `as`. Throws when the caller has an identity of its own: an application may use only its
  /// own declarations, and may not even name itself.
  package static func resolve(
    _ caller: Caller, as name: BundleIdentifier?
  ) throws(ActingNotPermitted) -> ActingCaller {
    switch (caller, name) {
    case (.application(let own, let identification), nil): .identified(own, identification)
    case (.application(let own, _), let wanted?): throw ActingNotPermitted(own: own, wanted: wanted)
    case (.orphan, nil): .orphan
    case (.orphan, let wanted?): throw ActingNotPermitted(own: nil, wanted: wanted)
    case (.unidentified, let wanted?): .assumed(wanted)
    case (.unidentified, nil): .unidentified
    case (.outsider(let outsider), nil): .outsider(outsider)
    case (.outsider(let outsider), let wanted?):
      throw ActingNotPermitted(own: nil, wanted: wanted, outsider: outsider)
    case (.remote(let name), nil): .remote(name)
    case (.remote(let name), let wanted?):
      throw ActingNotPermitted(own: nil, wanted: wanted, remote: name)
    }
  }

  /// Nil when the caller is unidentified and did not use `as`.
  package var identifier: BundleIdentifier? {
    switch self {
    case .identified(let identifier, _), .assumed(let identifier): identifier
    case .orphan, .unidentified, .outsider, .remote: nil
    }
  }

  package var remote: RemoteName? { if case .remote(let name) = self { name } else { nil } }
}

/// The error when a caller with an identity of its own, known or unknown, uses option `as`.
package struct ActingNotPermitted: Error, Hashable, CustomStringConvertible {
  /// Nil when the application is unknown.
  package let own: BundleIdentifier?
  package let wanted: BundleIdentifier
  package var outsider: Outsider?
  package var remote: RemoteName?

  package var description: String {
    if let outsider {
      return "option 'as' names \(wanted), but \(outsider); leave it out, or \(Outsider.advice)"
    }
    if let remote {
      return "option 'as' names \(wanted), but the caller is \(remote), which opens URLs for itself"
        + " only: leave it out"
    }
    return "option 'as' names \(wanted), but the caller "
      + (own.map { "is \($0); " } ?? "descends from an application; ")
      + "only callers without an identity of their own may use it, so leave it out"
  }
}
