/// An event of the record, to be logged.
package enum RecordRemark: Sendable {
  /// A file has been moved aside, and a new record is begun.
  case movedAside(to: String, DatabaseError)
  /// The file was removed or replaced, and was made again.
  case madeAgain(String)
  /// The record was removed, or replaced by an older copy, while no daemon ran.
  case lost(String)
  /// Writes fail. Reported once until a write succeeds.
  case cannotWrite(String)
  case writesAgain
  /// The file of request identifiers cannot be read, and a new one replaces it.
  case replacesIdentifiers(path: String, reason: String)
  /// The file of request identifiers cannot be written. Reported once until a write succeeds.
  case cannotKeepIdentifiers(path: String, reason: String)
}
