internal import Host
internal import Records

nonisolated extension RecordRemark {
  /// Logs the event.
  @MainActor func log(_ journal: Journal) {
    switch self {
    case .movedAside(let place, let reason) where reason.otherVersion != nil:
      journal.notice(
        "created a new record of requests; the old record was renamed",
        ["moved-to": place, "reason": reason.description])
    case .movedAside(let place, let reason):
      journal.error(
        "the record of requests is damaged and has been moved aside; a repeated request that the new record"
          + " does not have fails with DeliveryUnknown",
        ["moved-to": place, "reason": reason.description])
    case .madeAgain(let file):
      journal.error(
        "the record of requests was removed while it was in use; it is written again from memory:"
          + " leave the state folder alone, or end launchservicesd first",
        ["file": file])
    case .lost(let file):
      journal.error(
        "the record of requests was removed, or replaced by an older copy, since the last request; a repeated"
          + " request that the record does not have fails with DeliveryUnknown: leave the state folder alone",
        ["file": file])
    case .cannotWrite(let reason):
      journal.warning(
        "requests cannot be recorded; pending requests are lost when this process ends",
        ["reason": reason])
    case .replacesIdentifiers(let path, let reason):
      journal.error(
        "the identifiers of earlier requests cannot be read, and a new file replaces them; a repeated request"
          + " that the record does not have fails with DeliveryUnknown",
        ["file": path, "reason": reason])
    case .cannotKeepIdentifiers(let path, let reason):
      journal.warning(
        "the identifiers of requests cannot be kept; after a restart, a repeated request that the record does"
          + " not have fails with DeliveryUnknown",
        ["file": path, "reason": reason])
    case .writesAgain: journal.notice("requests can be recorded again")
    }
  }
}
