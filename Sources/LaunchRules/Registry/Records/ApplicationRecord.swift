/// All that is kept of one property list, in one piece of memory, which is also its form in a file: what it
/// declares, and what its reader adds for itself.
///
/// Two records are equal when they are of the same property list and hold the same application.
package struct ApplicationRecord: Sendable {
  package let bytes: [UInt8]

  /// Begins with the place of the supplement, in four bytes. Then the parts by which records are found
  /// come first.
  static let head = 4

  /// - Parameters:
  ///   - propertyList: the absolute path of the property list.
  ///   - application: nil when it cannot be registered.
  ///   - supplement: what the reader wants to know again.
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

  /// Of bytes that another record had.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// One with nothing else, to find others by.
  init(probe propertyList: String, _ identifier: BundleIdentifier? = nil) {
    var writer = RecordWriter(
      reserving: Self.head + propertyList.utf8.count + (identifier?.text.utf8.count ?? 0) + 8)
    writer.skip(Self.head)
    writer.write(propertyList)
    writer.write(identifier?.text)
    bytes = writer.bytes
  }

  /// The absolute path of the property list.
  package var propertyList: String {
    var reader = RecordReader(bytes, at: Self.head)
    return reader.text() ?? ""
  }

  /// Nil when it cannot be registered.
  package var identifier: BundleIdentifier? {
    BundleIdentifier(String(decoding: bytes[identifierRange], as: UTF8.self))
  }

  package var holdsApplication: Bool { !identifierRange.isEmpty }

  package var supplement: RecordReader { RecordReader(bytes, at: supplementPlace) }

  var propertyListRange: Range<Int> { textRange(at: Self.head) }

  /// Empty when it holds no application.
  var identifierRange: Range<Int> { textRange(at: propertyListRange.upperBound) }

  /// As `RecordReader` finds it, but without a reader, because records are looked for all the time.
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
