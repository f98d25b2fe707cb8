/// Checks the counts in a binary property list.
///
/// Foundation's decoder checks the positions of objects, but first multiplies the count of an array, a set or
/// a dictionary, and traps when that overflows (found by fuzzing, Swift 6.3).
enum BinaryStructure {
  static let trailerSize = 32
  /// Counts from this value are refused. They exceed every file, and are small enough for the multiplication.
  private static let firstRefused: UInt64 = 1 << 32

  /// False when the bytes could crash the decoder. The decoder itself detects other errors.
  static func countsAreSafe(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > trailerSize else { return true }
    let trailer = bytes.count - trailerSize
    let offsetSize = Int(bytes[trailer + 6])
    guard let count = Int(exactly: number(bytes[(trailer + 8)..<(trailer + 16)])),
      let table = Int(exactly: number(bytes[(trailer + 24)...])),
      (1...8).contains(offsetSize), table < trailer, count <= (trailer - table) / offsetSize
    else { return true }
    for index in 0..<count {
      let place = table + index * offsetSize
      guard let offset = Int(exactly: number(bytes[place..<(place + offsetSize)])),
        offset < trailer
      else { continue }
      if !isSafe(bytes[offset..<trailer]) { return false }
    }
    return true
  }

  /// `object` starts with its kind; 0xf instead of a count means that a number follows.
  private static func isSafe(_ object: ArraySlice<UInt8>) -> Bool {
    guard let kind = object.first, kind >> 4 >= 0xa, kind & 0xf == 0xf,
      let size = object.dropFirst().first.map({ $0 & 0xf })
    else { return true }
    // Writers use at most 8 bytes; of a longer number the decoder reads the last 8.
    guard size <= 3 else { return false }
    return number(object.dropFirst(2).prefix(1 << Int(size))) < firstRefused
  }

  /// Most significant byte first.
  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
