/// The key of records in a table.
protocol RecordKey {
  static func range(in record: ApplicationRecord) -> Range<Int>
  /// Maps a byte of the key to the form used for comparison.
  static func folded(_ byte: UInt8) -> UInt8
}

enum PropertyListKey: RecordKey {
  static func range(in record: ApplicationRecord) -> Range<Int> { record.propertyListRange }
  static func folded(_ byte: UInt8) -> UInt8 { byte }
}

enum IdentifierKey: RecordKey {
  static func range(in record: ApplicationRecord) -> Range<Int> { record.identifierRange }
  /// Converts to lower case.
  static func folded(_ byte: UInt8) -> UInt8 { byte.isASCIIUpperCase ? byte | 0x20 : byte }
}

/// A hash table of records with unique keys. A slot needs 8 bytes of memory.
struct RecordTable<Key: RecordKey>: Sendable {
  private struct Entry: Hashable {
    let record: ApplicationRecord

    static func == (left: Self, right: Self) -> Bool { Key.areEqual(left.record, right.record) }

    func hash(into hasher: inout Hasher) { Key.hash(record, into: &hasher) }
  }

  private var entries: Set<Entry> = []

  var count: Int { entries.count }
  var records: some Collection<ApplicationRecord> { entries.lazy.map(\.record) }

  /// The record with the same key as another one.
  subscript(like record: ApplicationRecord) -> ApplicationRecord? {
    entries.isEmpty
      ? nil : entries.firstIndex(of: Entry(record: record)).map { entries[$0].record }
  }

  func contains(_ record: ApplicationRecord) -> Bool { entries.contains(Entry(record: record)) }

  mutating func insert(_ record: ApplicationRecord) { entries.update(with: Entry(record: record)) }

  /// - Returns: the existing record, if any.
  mutating func insertIfAbsent(_ record: ApplicationRecord) -> ApplicationRecord? {
    let (isNew, there) = entries.insert(Entry(record: record))
    return isNew ? nil : there.record
  }

  mutating func remove(like record: ApplicationRecord) { entries.remove(Entry(record: record)) }

  mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }
}

extension RecordKey {
  static func hash(_ record: ApplicationRecord, into hasher: inout Hasher) {
    let bytes = record.bytes.span
    let range = range(in: record)
    var word: UInt64 = 0
    for place in range {
      word = word << 8 | UInt64(folded(bytes[place]))
      if (place - range.lowerBound) & 7 == 7 { hasher.combine(word) }
    }
    hasher.combine(word)
  }

  static func areEqual(_ left: ApplicationRecord, _ right: ApplicationRecord) -> Bool {
    let (range, other) = (range(in: left), range(in: right))
    guard range.count == other.count else { return false }
    let (bytes, otherBytes) = (left.bytes.span, right.bytes.span)
    let distance = other.lowerBound - range.lowerBound
    for place in range
    where folded(bytes[place]) != folded(otherBytes[place + distance]) { return false }
    return true
  }
}

/// The records of property lists, by path.
package struct PropertyListTable: Sendable {
  private var table = RecordTable<PropertyListKey>()

  package init(_ records: [ApplicationRecord] = []) {
    reserveCapacity(records.count)
    for record in records { insert(record) }
  }

  package var count: Int { table.count }
  package var records: some Collection<ApplicationRecord> { table.records }

  package subscript(path: String) -> ApplicationRecord? {
    table[like: ApplicationRecord(probe: path)]
  }

  /// The record with the same property list as another one.
  package subscript(like record: ApplicationRecord) -> ApplicationRecord? { table[like: record] }

  package mutating func insert(_ record: ApplicationRecord) { table.insert(record) }

  package mutating func remove(_ path: String) {
    table.remove(like: ApplicationRecord(probe: path))
  }

  package mutating func reserveCapacity(_ count: Int) { table.reserveCapacity(count) }
}
