internal import FoundationEssentials

/// The reason why a file of a site is refused.
struct JSONRefusal: Error {
  let problem: String
  let advice: String
  var consequence: String { "the file is refused: \(advice)" }
}

extension JSONValue {
  /// Decodes a file of a site.
  /// - Parameter findsMistakes: whether a refusal says where the mistake is, which takes time.
  static func read(_ bytes: [UInt8], findsMistakes: Bool) throws(JSONRefusal) -> JSONValue {
    do {
      return try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    } catch {
      guard !isHTML(bytes) else {
        throw JSONRefusal(
          problem: "it is an HTML page, not JSON",
          advice: "serve the JSON file at this address, before the rule that answers with a page")
      }
      let hasComment = bytes.indices.dropFirst().contains {
        bytes[$0] == UInt8(ascii: "/") && bytes[$0 - 1] == UInt8(ascii: "/")
          && ($0 < 2 || bytes[$0 - 2] != UInt8(ascii: ":"))
      }
      let mistake = findsMistakes ? JSONMistake.find(in: bytes) : nil
      throw JSONRefusal(
        problem: "it cannot be read as JSON\(mistake.map { " at \($0.description)" } ?? "")",
        advice: hasComment ? "JSON has no comments: take out what follows //" : "correct it")
    }
  }

  private static func isHTML(_ bytes: [UInt8]) -> Bool {
    guard bytes.first(where: { !" \t\r\n".utf8.contains($0) && $0 < 0x80 }) == UInt8(ascii: "<")
    else { return false }
    let beginning = String(decoding: bytes.prefix(1024), as: UTF8.self).lowercased()
    return beginning.contains("<html") || beginning.contains("<!doctype html")
  }
}
