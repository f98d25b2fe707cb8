internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules
internal import Records

/// The documents of one call, and the caller that opens them.
struct DocumentBatch {
  /// The URLs of the call.
  let texts: [String]
  let conditions: OpenConditions
  var options: OpenOptions
  /// True for `OpenURL`, which returns one receipt.
  let isSingle: Bool

  var caller: IdentifiedCaller { conditions.caller }

  func requestName(in registry: Registry) throws(BusError) -> RequestName? {
    try caller.requestName(options.requestID, in: registry)
  }

  /// The fingerprint of the whole call, because the choice of applications may change before a repetition.
  var fingerprint: RequestFingerprint {
    RequestFingerprint(
      .url, texts.joined(separator: "\n"), designated: conditions.designated,
      newInstance: options.newInstance)
  }
}

/// The documents of a call that share one result.
struct DocumentPart {
  enum Fate {
    case delivery(OpenRule.Decision, InstalledApplication)
    case failure(BusError)
    /// An earlier call has already requested this part.
    case known(RequestEntry)
  }

  let fate: Fate
  /// The indices of its documents in the call.
  var places: [Int]

  /// Whether the part may contain more documents for `other`. An application that claims the scheme `file`
  /// receives each document separately (R5.27).
  func takesMore(for other: InstalledApplication) -> Bool {
    guard case .delivery(_, let application) = fate else { return false }
    return application == other && !application.declaration.claimsFileScheme
  }
}

/// Documents that are delivered together.
struct DocumentList {
  let urls: [DocumentURL]
  /// Whether the documents may be used in place (R5.24).
  let areUsedInPlace: Bool
}
