/// The application that the rules apply to a call, after option `as` was applied.
package enum ActingCaller: Hashable, Sendable {
  /// The caller's own identity.
  case identified(BundleIdentifier, Identification)
  /// A caller without identity that acts as this application, by option `as`.
  case assumed(BundleIdentifier)
  /// An unknown application; treated as no application.
  case orphan
  case unidentified

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
    }
  }

  /// Nil when the caller is unidentified and did not use `as`.
  package var identifier: BundleIdentifier? {
    switch self {
    case .identified(let identifier, _), .assumed(let identifier): identifier
    case .orphan, .unidentified: nil
    }
  }
}

/// The error when a caller with an identity of its own, known or unknown, uses option `as`.
package struct ActingNotPermitted: Error, Hashable, CustomStringConvertible {
  /// Nil when the application is unknown.
  package let own: BundleIdentifier?
  package let wanted: BundleIdentifier

  package var description: String {
    "option 'as' names \(wanted), but the caller "
      + (own.map { "is \($0); " } ?? "descends from an application; ")
      + "only callers without an identity of their own may use it, so leave it out"
  }
}
