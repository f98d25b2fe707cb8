internal import FoundationEssentials

/// The line at which Foundation's decoder refuses an XML property list.
package enum RefusedLine {
  /// Longer texts are not searched, in bytes.
  static let largest = 1 << 20

  /// From 1; nil for a text that the decoder takes, and for a binary property list.
  ///
  /// The decoder gives a reason without a place (Swift 6.3). The text until the wrong line is refused for the same
  /// reason, and a shorter one because it ends too early. Decodes the text as often as the number of its lines has binary
  /// digits, so only the programs of users call it.
  package static func find(in bytes: [UInt8]) -> Int? {
    guard let text = try? HostileInput.admit(bytes), text.count <= largest,
      !text.starts(with: "bplist".utf8), let refusal = refusal(of: text[...])
    else { return nil }
    let ends = text.indices.filter { text[$0] == UInt8(ascii: "\n") } + [text.count - 1]
    guard refusal.problem != Refusal.cutShort else {
      // The last line that is not empty.
      let last = text.lastIndex { $0 > UInt8(ascii: " ") } ?? 0
      return 1 + (ends.firstIndex { $0 >= last } ?? 0)
    }
    var (low, high) = (0, ends.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if words(of: text[...ends[middle]]) == refusal.words {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low + 1
  }

  private static func refusal(of text: ArraySlice<UInt8>) -> (problem: String, words: String)? {
    error(of: text).map {
      (Refusal(explaining: $0, in: Array(text)).problem, Refusal.words(of: $0))
    }
  }

  /// Nil when the decoder takes the text, and when the text must not be decoded.
  private static func words(of text: ArraySlice<UInt8>) -> String? {
    guard let text = try? HostileInput.admit(Array(text)) else { return nil }
    return error(of: text[...]).map(Refusal.words)
  }

  private static func error(of text: ArraySlice<UInt8>) -> (any Error)? {
    do {
      _ = try PropertyListDecoder().decode(Anything.self, from: Data(text))
      return nil
    } catch {
      return error
    }
  }

  private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
  }
}
