package import LaunchRules

/// The contents of an `apple-app-site-association` file (R8.7).
package struct AssociationFileReading: Hashable, Sendable {
  /// Nil when the whole file is refused; the diagnostics then contain an error.
  package private(set) var file: AssociationFile?
  /// In the order of their detection.
  package private(set) var diagnostics: [Diagnostic] = []

  /// - Parameters:
  ///   - path: names the file in diagnostics.
  ///   - findsMistakes: whether a diagnostic says where the file stops being JSON, which takes time.
  package init(_ bytes: [UInt8], at path: String, findsMistakes: Bool = false) {
    do throws(JSONRefusal) {
      var contents = ContentsReading(path: path)
      let top = try Self.decode(bytes, findsMistakes: findsMistakes)
      if let line = Self.lineOfTrailingComma(in: bytes) {
        contents.report(
          .warning, "", "line \(line) has a comma before the end of an object or an array",
          "it was ignored, but JSON does not allow it, and other readers refuse the file:"
            + " remove it")
      }
      file = contents.file(top)
      diagnostics = contents.finish()
    } catch {
      diagnostics = [
        Diagnostic(.error, file: path, problem: error.problem, consequence: error.consequence)
      ]
    }
  }

  private static func decode(
    _ bytes: [UInt8], findsMistakes: Bool
  ) throws(JSONRefusal) -> [String: JSONValue] {
    guard bytes.count <= AssociationFile.largestSize else {
      throw JSONRefusal(
        problem: "it has \(bytes.count) bytes",
        advice: "at most \(AssociationFile.largestSize) are allowed (R8.5)")
    }
    // DER begins with these bytes, JSON never does.
    if bytes.starts(with: [0x30, 0x82]) || bytes.starts(with: [0x30, 0x80]) {
      throw JSONRefusal(problem: "it is signed", advice: "serve the JSON as it is")
    }
    let value = try JSONValue.read(bytes, findsMistakes: findsMistakes)
    guard case .object(let top) = value else {
      throw JSONRefusal(
        problem: "its top level is \(value.kind)", advice: "write an object with \"applinks\"")
    }
    return top
  }

  /// The line of the first comma before the end of its object or array, which the decoder tolerates; nil
  /// without such a comma.
  private static func lineOfTrailingComma(in bytes: [UInt8]) -> Int? {
    var (line, comma) = (1, Int?.none)
    var (isText, isEscaped) = (false, false)
    for byte in bytes {
      if isText {
        (isText, isEscaped) = (
          isEscaped || byte != UInt8(ascii: "\""), !isEscaped && byte == UInt8(ascii: "\\")
        )
        continue
      }
      switch byte {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
      case UInt8(ascii: ","): comma = line
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if let comma { return comma }
      default:
        comma = nil
        isText = byte == UInt8(ascii: "\"")
      }
    }
    return nil
  }
}
