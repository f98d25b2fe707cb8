/// What the log is to say of the record.
package enum RecordRemark: Sendable {
  /// A file has been moved aside, and a new record is begun.
  case movedAside(to: String, DatabaseError)
  /// The file has gone from its place, and was made again.
  case madeAgain(String)
  /// Nothing can be written at this moment. Told once until it works again.
  case cannotWrite(String)
  case writesAgain
}
