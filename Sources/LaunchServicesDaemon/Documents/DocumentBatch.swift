internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules
internal import Records

/// The documents of one call, and the caller that opens them.
struct DocumentBatch {
  /// The URLs of the call.
  let texts: [String]
  let caller: IdentifiedCaller
  let acting: ActingCaller
  let designated: BundleIdentifier?
  var options: OpenOptions
  /// The call is `OpenURL`, and wants one receipt.
  let isSingle: Bool

  func question(_ subject: OpenRule.Subject) -> OpenRule.Question {
    OpenRule.Question(
      subject, caller: caller.caller, acting: acting, designated: designated,
      universalLinksOnly: options.universalLinksOnly, finding: caller.facts.finding,
      isLink: options.isLink)
  }

  func requestName(in registry: Registry) throws(BusError) -> RequestName? {
    try caller.requestName(options.requestID, in: registry)
  }

  /// Of the whole call: who opens what may be chosen anew before the call is repeated.
  var fingerprint: RequestFingerprint {
    RequestFingerprint(
      .url, texts.joined(separator: "\n"), designated: designated,
      newInstance: options.newInstance)
  }
}

/// The documents of a call that have one fate.
struct DocumentPart {
  enum Fate {
    case delivery(OpenRule.Decision, InstalledApplication)
    case failure(BusError)
    /// A call before this one has asked for it.
    case known(RequestEntry)
  }

  let fate: Fate
  /// Of its documents in the call.
  var places: [Int]

  /// An application that claims the scheme `file` gets each document alone (R5.27).
  func takesMore(for other: InstalledApplication) -> Bool {
    guard case .delivery(_, let application) = fate else { return false }
    return application == other && !application.declaration.claimsFileScheme
  }
}

/// Documents that are handed over together.
struct DocumentList {
  let urls: [DocumentURL]
  /// They may be used where they are (R5.24).
  let areUsedInPlace: Bool
}
