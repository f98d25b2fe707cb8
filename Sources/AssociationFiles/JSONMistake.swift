internal import FoundationEssentials

/// The place at which a text stops being JSON, for messages.
///
/// Foundation's decoder decides, and gives no place (Swift 6.3). So beginnings of the text are completed and decoded: the
/// first token that cannot be completed is the mistake. Decodes the text about four times as often as the number of its tokens
/// has binary digits, so only the programs of users look for it.
package struct JSONMistake: Hashable, Sendable {
  /// From 1.
  package let line: Int
  /// From 1, in characters.
  package let column: Int
  /// What is wrong there, such as `unexpected "}"`.
  package let problem: String

  /// Longer texts are not searched, in bytes.
  private static let largest = 1 << 18

  package var description: String { "line \(line), column \(column): \(problem)" }

  /// Nil for a text that the decoder takes, and for a very long one.
  package static func find(in bytes: [UInt8]) -> JSONMistake? {
    guard bytes.count <= largest, !decodes(bytes[...]) else { return nil }
    let tokens = tokens(of: bytes)
    var (low, high) = (0, tokens.count)
    while low < high {
      let middle = (low + high) / 2
      if canBegin(bytes, tokens[...middle]) { low = middle + 1 } else { high = middle }
    }
    guard low < tokens.count else {
      return JSONMistake(bytes, at: tokens.last?.upperBound ?? 0, "the text ends too early")
    }
    let token = bytes[tokens[low]]
    let isOpenText =
      token.first == quote && (token.count == 1 || tokens[low].upperBound == bytes.count)
      && !decodes(token)
    return JSONMistake(
      bytes, at: tokens[low].lowerBound,
      isOpenText
        ? "the text that begins there does not end"
        : "unexpected \(String(decoding: token, as: UTF8.self).shown)")
  }

  private init(_ bytes: [UInt8], at place: Int, _ problem: String) {
    let start = bytes[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    line = 1 + bytes[..<place].count { $0 == UInt8(ascii: "\n") }
    column = 1 + String(decoding: bytes[start..<place], as: UTF8.self).count
    self.problem = problem
  }

  // MARK: Beginnings

  /// Whether the tokens can be the beginning of a text that the decoder takes.
  private static func canBegin(_ bytes: [UInt8], _ tokens: ArraySlice<Range<Int>>) -> Bool {
    var closers: [UInt8] = []
    for token in tokens {
      switch bytes[token.lowerBound] {
      case UInt8(ascii: "{"): closers.append(UInt8(ascii: "}"))
      case UInt8(ascii: "["): closers.append(UInt8(ascii: "]"))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = closers.popLast()
      default: break
      }
    }
    let beginning = bytes[..<(tokens.last?.upperBound ?? 0)]
    return ["", "0", ":0", "\"\":0"].contains { decodes(beginning + $0.utf8 + closers.reversed()) }
  }

  private static func decodes(_ text: ArraySlice<UInt8>) -> Bool {
    (try? JSONDecoder().decode(Anything.self, from: Data(text))) != nil
  }

  private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
  }

  // MARK: Tokens

  private static let quote = UInt8(ascii: "\"")

  /// Brackets, commas, colons, texts with their quotes, and words.
  private static func tokens(of bytes: [UInt8]) -> [Range<Int>] {
    var tokens: [Range<Int>] = []
    var place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while place < bytes.count {
      let start = place
      place += 1
      if isBlank(bytes[start]) { continue }
      if bytes[start] == quote {
        while place < bytes.count, bytes[place] != quote {
          place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        place = min(place + 1, bytes.count)
      } else if !isMark(bytes[start]) {
        while place < bytes.count, bytes[place] != quote, !isMark(bytes[place]),
          !isBlank(bytes[place])
        { place += 1 }
      }
      tokens.append(start..<place)
    }
    return tokens
  }

  private static func isMark(_ byte: UInt8) -> Bool { "{}[],:".utf8.contains(byte) }
  private static func isBlank(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
}
