internal import CJansson

/// The syntax of JSON, by libjansson. Foundation decodes the values, and does not say where a text is wrong.
enum JSONSyntax {
  struct Wrong: Error {
    /// From 1; nil for a text that is too short to have a place.
    var line: Int?
    /// From 1, in characters; nil without a line.
    var column: Int?
    /// Such as `string or '}' expected near '}'`.
    var problem: String
  }

  /// - Throws: the first mistake. A key that an object has twice is one.
  static func check(_ text: [UInt8]) throws(Wrong) {
    var error = json_error_t()
    // Integers of any size are numbers of JSON.
    let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL
    let value = unsafe text.withUnsafeBytes { bytes in
      unsafe json_loadb(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, Int(flags), &error)
    }
    guard let value = unsafe value else {
      let text = unsafe withUnsafeBytes(of: &error.text) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let hasPlace = error.line > 0
      throw Wrong(
        line: hasPlace ? Int(error.line) : nil, column: hasPlace ? Int(error.column) : nil,
        problem: text)
    }
    unsafe json_decref(value)
  }
}
