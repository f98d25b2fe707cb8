internal import FoundationEssentials
internal import PropertyLists
internal import StubApplications

/// The syntax of files: JSON or a property list.
enum ScenarioSyntax {
  /// A text that is neither.
  struct Wrong: Error {
    /// Nil for a text that is neither, and for a binary property list.
    var line: Int?
    var sentence: String
    /// What to do with the property list of an application; nil when the sentence says it.
    var advice: String?
  }

  static func tree(_ bytes: [UInt8]) throws(Wrong) -> PropertyTree {
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let content = bytes.dropFirst(isMarked ? 3 : 0)
    let first = content.first { !" \t\r\n".utf8.contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      ? try json(Array(content)) : try propertyList(bytes)
  }

  private static func json(_ text: [UInt8]) throws(Wrong) -> PropertyTree {
    do throws(JSONSyntax.Wrong) {
      try JSONSyntax.check(text)
    } catch {
      throw Wrong(line: error.line, sentence: "is not valid JSON: \(error.problem)")
    }
    do {
      return try PropertyTree(json: Data(text))
    } catch {
      throw Wrong(
        line: nil, sentence: "cannot be decoded as JSON: a value in it is too large or too deep")
    }
  }

  static func propertyList(_ bytes: [UInt8]) throws(Wrong) -> PropertyTree {
    let admitted: [UInt8]
    do throws(PropertyLists.Refusal) {
      admitted = try HostileInput.admit(bytes)
    } catch {
      throw Wrong(line: nil, sentence: error.problem, advice: error.advice)
    }
    do {
      return try PropertyTree(propertyList: Data(admitted))
    } catch let excess as PropertyTree.TooLarge {
      throw Wrong(line: nil, sentence: "is not read: \(excess); check where it comes from")
    } catch {
      let refusal = PropertyLists.Refusal(explaining: error, in: admitted)
      let line = RefusedLine.find(in: admitted)
      let advice =
        line == nil ? refusal.advice : PropertyLists.Refusal.withLine(refusal.advice)
      throw Wrong(
        line: line, sentence: "is not a valid property list: \(refusal.problem): \(advice)")
    }
  }
}
