internal import FoundationEssentials
internal import PropertyLists
internal import StubApplications

/// The syntax of files: JSON or a property list.
enum ScenarioSyntax {
  /// A text that is neither.
  struct Wrong: Error {
    /// Nil when the decoder does not say it.
    var line: Int?
    var sentence: String
  }

  static func tree(_ bytes: [UInt8]) throws(Wrong) -> PropertyTree {
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let content = bytes.dropFirst(isMarked ? 3 : 0)
    let first = content.first { !" \t\r\n".utf8.contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      ? try json(Data(content)) : try propertyList(bytes)
  }

  private static func json(_ data: Data) throws(Wrong) -> PropertyTree {
    do {
      return try PropertyTree(json: data)
    } catch DecodingError.dataCorrupted(let context) {
      let reason = context.underlyingError.map { "\($0)" } ?? context.debugDescription
      throw Wrong(line: line(in: reason), sentence: "is not valid JSON: \(text(in: reason))")
    } catch {
      throw Wrong(line: nil, sentence: "is not valid JSON: \(error)")
    }
  }

  static func propertyList(_ bytes: [UInt8]) throws(Wrong) -> PropertyTree {
    let admitted: [UInt8]
    do throws(PropertyLists.Refusal) {
      admitted = try HostileInput.admit(bytes)
    } catch {
      throw Wrong(line: nil, sentence: "\(error)")
    }
    do {
      return try PropertyTree(propertyList: Data(admitted))
    } catch {
      let refusal = PropertyLists.Refusal(explaining: error, in: admitted)
      // Foundation names line 1 for every error.
      throw Wrong(
        line: nil, sentence: "is not a valid property list: \(refusal.problem): \(refusal.advice)")
    }
  }

  /// The sentence of Foundation inside the description of its error.
  private static func text(in reason: String) -> String {
    guard let start = reason.firstRange(of: "NSDebugDescription")?.upperBound else {
      return reason
    }
    let rest = reason[start...].drop { "\":= ".contains($0) }
    return String(rest.prefix { $0 != "\"" && $0 != "}" })
  }

  /// The number after `line `, which Foundation gives in its sentences.
  private static func line(in reason: String) -> Int? {
    guard let start = reason.firstRange(of: "line ")?.upperBound else { return nil }
    return Int(reason[start...].prefix { $0.isASCII && $0.isNumber })
  }
}
