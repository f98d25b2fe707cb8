/// The reason why bytes were not passed to the decoder, or why the decoder refused them.
package struct Refusal: Error, CustomStringConvertible {
  /// A sentence without its full stop, as in `Diagnostic`.
  package let problem: String
  package let advice: String

  package var description: String { problem }
}

/// Keeps bytes from the decoder that would crash it or make it run without end.
///
/// Foundation's decoder checks its input, but it recurses for each level of XML (about 1 KiB of stack each,
/// measured with Swift 6.3), follows the references of a binary property list without a limit, and traps on
/// some damaged files.
package enum HostileInput {
  /// XML nested deeper than this is refused. Real files have fewer than ten levels.
  static let deepest = 512
  /// Maximum product of bytes and objects of a binary property list. Limits the work when every key is the
  /// same long text, read once per object.
  static let largestBinaryProduct: UInt64 = 1 << 31

  /// Checks a property list that this program has written itself, unless another process has replaced it. Has
  /// no limit of size.
  package static func admitOwn(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
    if bytes.starts(with: "bplist".utf8) {
      try admitStructure(bytes)
      return bytes
    }
    let text = utf8(bytes)
    try admitXML(text)
    return text
  }

  /// Returns the bytes to decode: the given bytes, or a UTF-8 copy of UTF-16.
  package static func admit(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
    guard !bytes.isEmpty else {
      throw Refusal(problem: "the file is empty", advice: "write a property list into it")
    }
    guard bytes.count <= InfoPropertyList.largestSize else {
      throw Refusal(
        problem: "the file has \(bytes.count) bytes; a property list may have "
          + "\(InfoPropertyList.largestSize)",
        advice: "check that it is the property list of an application")
    }
    if bytes.starts(with: "bplist".utf8) {
      try admitBinary(bytes)
      return bytes
    }
    let text = utf8(bytes)
    try admitXML(text)
    return text
  }

  /// Returns the bytes to decode of a strings file, which is a property list of any form.
  static func admitStrings(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
    guard !bytes.isEmpty else {
      throw Refusal(problem: "the file is empty", advice: "write \"KEY\" = \"TEXT\"; lines into it")
    }
    guard isOldStyle(bytes) else { return try admit(bytes) }
    var text = utf8(bytes)
    if text.starts(with: byteOrderMark) { text.removeFirst(byteOrderMark.count) }
    guard !text.contains(0) else {
      throw Refusal(
        problem: "the file contains zero bytes",
        advice: "save it as UTF-8; it may be damaged, or UTF-16 without a byte order mark")
    }
    guard OldStyleDepth.staysWithin(deepest, text) else {
      throw Refusal(
        problem: "its arrays and dictionaries are nested more than \(deepest) deep",
        advice: "check where it comes from: no application needs that")
    }
    return text
  }

  /// Returns the bytes to decode of the file of an Xcode project, which is an old-style or an XML property list.
  static func admitProject(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
    guard bytes.count <= largestProject else {
      throw Refusal(
        problem: "the file has \(bytes.count) bytes; a project may have \(largestProject)",
        advice: "check that it is the project.pbxproj of an Xcode project")
    }
    return try admitStrings(bytes)
  }

  /// Maximum size of `project.pbxproj`, in bytes.
  package static let largestProject = 16 << 20

  /// Whether the property list is neither XML nor binary.
  static func isOldStyle(_ bytes: [UInt8]) -> Bool {
    let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    let text = isUTF16 ? utf8(Array(bytes.prefix(1024))) : bytes
    let content = text.starts(with: byteOrderMark) ? text.dropFirst(byteOrderMark.count) : text[...]
    return !bytes.starts(with: "bplist".utf8)
      && content.first(where: { !$0.isXMLSpace }) != UInt8(ascii: "<")
  }

  private static func admitBinary(_ bytes: [UInt8]) throws(Refusal) {
    let trailer = 32
    guard bytes.count > trailer + "bplist00".utf8.count else {
      throw Refusal(
        problem: "the file begins like a binary property list, but ends too early",
        advice: "copy it again: it was probably cut short")
    }
    // The number of objects is in bytes 8 to 15 of the trailer, most significant byte first.
    let count = bytes.suffix(trailer).dropFirst(8).prefix(8).reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    guard count < UInt64(bytes.count) else {
      throw Refusal(
        problem:
          "the binary property list is damaged or cut short: its header states \(count) objects in"
          + " \(bytes.count) bytes", advice: "copy or convert it again")
    }
    let (product, overflow) = count.multipliedReportingOverflow(by: UInt64(bytes.count))
    guard !overflow, product <= largestBinaryProduct else {
      throw Refusal(
        problem:
          "the header of the binary property list states \(count) objects in \(bytes.count) bytes, "
          + "far more than an application declares",
        advice: "check where it comes from, or convert it with \"plutil -convert xml1\"")
    }
    try admitStructure(bytes)
  }

  private static func admitStructure(_ bytes: [UInt8]) throws(Refusal) {
    guard BinaryStructure.countsAreSafe(bytes) else {
      throw Refusal(
        problem: "the binary property list is damaged: the stated size of an array or a"
          + " dictionary is greater than any file",
        advice: "copy it again, and check where it comes from")
    }
  }

  private static func admitXML(_ text: [UInt8]) throws(Refusal) {
    let content = text.starts(with: byteOrderMark) ? text.dropFirst(3) : text[...]
    switch content.first(where: { !$0.isXMLSpace }) {
    case UInt8(ascii: "<"): break
    case nil:
      throw Refusal(
        problem: "the file contains only blanks", advice: "write a property list into it")
    case UInt8(ascii: "{"), UInt8(ascii: "("):
      throw Refusal(
        problem: "the file looks like JSON or an old-style property list",
        advice: "convert it with \"plutil -convert xml1\"")
    default:
      throw Refusal(
        problem: "the file is neither an XML nor a binary property list",
        advice: "check that it is the property list of an application")
    }
    guard !text.contains(0) else {
      throw Refusal(
        problem: "the file contains zero bytes, which XML does not allow",
        advice: "save it as UTF-8; it may be damaged, or UTF-16 without a byte order mark")
    }
    guard XMLDepth.staysWithin(deepest, text) else {
      throw Refusal(
        problem: "its arrays and dictionaries are nested more than \(deepest) deep",
        advice: "check where it comes from: no application needs that")
    }
  }

  /// After this mark, the decoder reads the text as UTF-8 whatever its XML declaration contains.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    let isBigEndian: Bool
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xFE, 0xFF): isBigEndian = true
    case (0xFF, 0xFE): isBigEndian = false
    default: return bytes
    }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    return byteOrderMark + String(decoding: units, as: UTF16.self).utf8
  }
}

extension UInt8 {
  /// Whether the byte is a blank, tab, line feed or carriage return.
  fileprivate var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
