/// The stored contents of one property list as one block of bytes, which is also the file format: its
/// declarations, and a supplement by the reader.
///
/// Two records are equal when they have the same property list and the same application.
package struct ApplicationRecord: Sendable {
  package let bytes: [UInt8]

  /// Size of the header: the offset of the supplement in four bytes. The keys of the record follow.
  static let head = 4

  /// - Parameters:
  ///   - propertyList: absolute path of the property list.
  ///   - application: nil when the application cannot be registered.
  ///   - supplement: data that the reader stores for itself.
  package init(
    propertyList: String, _ application: InstalledApplication?,
    supplement: (inout RecordWriter) -> Void = { _ in }
  ) {
    var writer = RecordWriter()
    writer.skip(Self.head)
    writer.write(propertyList)
    writer.write(application?.identifier.text)
    if let application { writer.write(application) }
    writer.put(UInt32(writer.bytes.count), at: 0)
    supplement(&writer)
    bytes = Array(writer.bytes[...])
  }

  package init(_ application: InstalledApplication) {
    self.init(propertyList: application.propertyList, application)
  }

  /// Creates a record from the bytes of a record.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a record with keys only, for lookups.
  init(probe propertyList: String, _ identifier: BundleIdentifier? = nil) {
    var writer = RecordWriter(
      reserving: Self.head + propertyList.utf8.count + (identifier?.text.utf8.count ?? 0) + 8)
    writer.skip(Self.head)
    writer.write(propertyList)
    writer.write(identifier?.text)
    bytes = writer.bytes
  }

  /// Absolute path of the property list.
  package var propertyList: String {
    var reader = RecordReader(bytes, at: Self.head)
    return reader.text() ?? ""
  }

  /// Nil when the application cannot be registered.
  package var identifier: BundleIdentifier? {
    BundleIdentifier(String(decoding: bytes[identifierRange], as: UTF8.self))
  }

  package var hasApplication: Bool { !identifierRange.isEmpty }

  package var supplement: RecordReader { RecordReader(bytes, at: supplementPlace) }

  var propertyListRange: Range<Int> { textRange(at: Self.head) }

  /// Empty when the record has no application.
  var identifierRange: Range<Int> { textRange(at: propertyListRange.upperBound) }

  /// Like `RecordReader.textRange`, but without a reader, because lookups are frequent.
  private func textRange(at start: Int) -> Range<Int> {
    let bytes = bytes.span
    var place = start
    var length = 0
    var shift = 0
    while place < bytes.count, shift < 28 {
      let byte = bytes[place]
      place += 1
      length |= Int(byte & 0x7f) << shift
      shift += 7
      if byte & 0x80 == 0 { break }
    }
    let end = min(place + max(length - 1, 0), bytes.count)
    return min(place, end)..<end
  }

  private var supplementPlace: Int {
    guard bytes.count >= Self.head else { return bytes.count }
    let place = bytes[..<Self.head].reversed().reduce(0) { $0 << 8 | Int($1) }
    return min(place, bytes.count)
  }
}

extension ApplicationRecord: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    if left.bytes.span.isIdentical(to: right.bytes.span) { return true }
    let (end, otherEnd) = (left.supplementPlace, right.supplementPlace)
    return end == otherEnd && left.bytes[..<end] == right.bytes[..<end]
  }

  package func hash(into hasher: inout Hasher) { IdentifierKey.hash(self, into: &hasher) }
}
