internal import Host
internal import Records

nonisolated extension RecordRemark {
  /// What the log says of it.
  @MainActor func log(_ journal: Journal) {
    switch self {
    case .movedAside(let place, let reason) where reason.otherVersion != nil:
      journal.notice(
        "a new record of requests is begun; the old one has been moved aside",
        ["moved-to": place, "reason": reason.description])
    case .movedAside(let place, let reason):
      journal.error(
        "the record of requests is damaged and has been moved aside; who asks again for a request of before"
          + " that is not known any more is told DeliveryUnknown",
        ["moved-to": place, "reason": reason.description])
    case .madeAgain(let file):
      journal.error(
        "the record of requests was removed while it was in use, and is made again from what is in memory;"
          + " leave the state folder alone, or end launchservicesd first",
        ["file": file])
    case .cannotWrite(let reason):
      journal.warning(
        "requests cannot be recorded: what is under way when this process ends is forgotten",
        ["reason": reason])
    case .writesAgain: journal.notice("requests can be recorded again")
    }
  }
}
