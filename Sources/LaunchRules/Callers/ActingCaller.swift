/// The application a call is judged as, once option `as` has been applied.
package enum ActingCaller: Hashable, Sendable {
  /// The caller's own identity.
  case identified(BundleIdentifier, Identification)
  /// A caller without identity asked, with `as`, to be judged as this application.
  case assumed(BundleIdentifier)
  /// One application or another, and so none.
  case orphan
  case unidentified

  /// Applies option `as`. Throws when the caller has an identity of its own: an application learns
  /// only what it declared itself, so it may not borrow another's declaration, nor restate its own.
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

  /// Nil when the caller is unidentified and named nobody.
  package var identifier: BundleIdentifier? {
    switch self {
    case .identified(let identifier, _), .assumed(let identifier): identifier
    case .orphan, .unidentified: nil
    }
  }
}

/// Option `as` was used by a caller that has an identity of its own, known or not.
package struct ActingNotPermitted: Error, Hashable, CustomStringConvertible {
  /// Nil when it is not known which one.
  package let own: BundleIdentifier?
  package let wanted: BundleIdentifier

  package var description: String {
    "option 'as' names \(wanted), but the caller "
      + (own.map { "is \($0); " } ?? "descends from an application; ")
      + "only callers without an identity of their own may use it, so leave it out"
  }
}
