internal import FoundationEssentials
package import LaunchRules

/// The contents of an `apple-app-site-association` file (R8.7).
package struct AssociationFileReading: Hashable, Sendable {
  /// Nil when the whole file is refused; the diagnostics then contain an error.
  package private(set) var file: AssociationFile?
  /// In the order of their detection.
  package private(set) var diagnostics: [Diagnostic] = []

  /// - Parameter path: names the file in diagnostics.
  package init(_ bytes: [UInt8], at path: String) {
    do throws(Refusal) {
      var contents = ContentsReading(path: path)
      let top = try Self.decode(bytes)
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

  struct Refusal: Error {
    let problem: String
    let advice: String
    var consequence: String { "the file is refused: \(advice)" }
  }

  private static func decode(_ bytes: [UInt8]) throws(Refusal) -> [String: JSONValue] {
    guard bytes.count <= AssociationFile.largestSize else {
      throw Refusal(
        problem: "it has \(bytes.count) bytes",
        advice: "at most \(AssociationFile.largestSize) are allowed (R8.5)")
    }
    // DER begins with these bytes, JSON never does.
    if bytes.starts(with: [0x30, 0x82]) || bytes.starts(with: [0x30, 0x80]) {
      throw Refusal(problem: "it is signed", advice: "serve the JSON as it is")
    }
    let value: JSONValue
    do {
      value = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    } catch {
      let hasComment = bytes.indices.dropFirst().contains {
        bytes[$0] == UInt8(ascii: "/") && bytes[$0 - 1] == UInt8(ascii: "/")
          && ($0 < 2 || bytes[$0 - 2] != UInt8(ascii: ":"))
      }
      throw Refusal(
        problem: "it cannot be read as JSON",
        advice: hasComment ? "JSON has no comments: take out what follows //" : "correct it")
    }
    guard case .object(let top) = value else {
      throw Refusal(
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
