internal import BusContract
internal import DBus
internal import LaunchRules
internal import Records

/// The two forms in which a `request-id` is recorded: as the name of one request, and as the beginning of the names of
/// the requests that one call with several documents became. A `request-id` that was used in one form is refused in the
/// other, in which the first use would not be found and the documents would be delivered again.
struct RequestForms {
  private let requests: RequestStore
  private let opens: PendingOpens

  init(_ requests: RequestStore, _ opens: PendingOpens) {
    self.requests = requests
    self.opens = opens
  }

  private static let otherForm = BusError.invalidArguments(RepeatedRequest.otherRequest)

  // MARK: Pending requests

  /// Fails when requests of a call with several documents have this name and are under way.
  func checkNoPart(of name: RequestName) throws(BusError) {
    if opens.parts(of: name).contains(where: { Self.isPart($0, of: name) }) { throw Self.otherForm }
  }

  /// Fails when one request has this name and is under way.
  func checkNoRequest(_ name: RequestName) throws(BusError) {
    if opens.find(name) != nil { throw Self.otherForm }
  }

  // MARK: Recorded requests

  /// Whether requests of a call with several documents may have this name in the record.
  func mayHaveParts(_ name: RequestName, isRepeated: Bool) -> Bool {
    !requests.isNewCall(name, isRepeated: isRepeated)
  }

  /// Fails when requests of a call with several documents have this name in the record, or may have it in a part of the
  /// record that is lost.
  func checkNoRecordedPart(of name: RequestName, isRepeated: Bool) async throws(BusError) {
    guard mayHaveParts(name, isRepeated: isRepeated) else { return }
    switch await requests.findParts(of: name, isRepeated: isRepeated) {
    case .entries(let entries):
      if entries.contains(where: { Self.isPart($0, of: name) }) { throw Self.otherForm }
    case .unknown(let why): throw RepeatedRequest.lost(why).busError
    }
  }

  /// Fails when one request has this name in the record.
  func checkNoRecordedRequest(_ name: RequestName, isRepeated: Bool) async throws(BusError) {
    guard !requests.isNew(name, isRepeated: isRepeated) else { return }
    // A name that may be in a lost part of the record is decided by the parts.
    if case .entry = await requests.find(name, isRepeated: isRepeated) { throw Self.otherForm }
  }

  private static func isPart(_ entry: RequestEntry, of name: RequestName) -> Bool {
    entry.name.map { PartName.places(in: $0.id, of: name.id) != nil } ?? false
  }
}
