import Foundation
import LaunchRules
import SeededRandom
import Testing

@Suite("The beginning by which a long URL is judged") struct URLBeginningTests {
  @Test("is well-formed exactly when the whole is, with the same scheme and host") func same() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed of the beginnings of URLs: \(seed)")
    var random = SplitMix64(seed: seed)
    let beginnings = [
      "a:", "https://example.com/", "https://example.com", "https://[::1]:8080/x", "a://", "a:/",
      "https://user@example.com?", "mailto:x@example.com#", "nothing", "a b:", "1:", "a:?", "a:#",
    ]
    let pieces = ["x", "%20", "%2", "%", "?", "/", ":", "@", "#", "[", "é", " ", "|", "\"", "&="]
    for _ in 0..<300 {
      var text = beginnings.randomElement(using: &random)!
      text += String(repeating: "y", count: .random(in: 0...8200, using: &random))
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        text += pieces.randomElement(using: &random)!
        text += String(
          repeating: Bool.random(using: &random) ? "z" : "%2a",
          count: .random(in: 0...5000, using: &random))
      }
      let whole = URL(string: text, encodingInvalidCharacters: false)
      let beginning = URL(string: URLBeginning.of(text), encodingInvalidCharacters: false)
      #expect((whole == nil) == (beginning == nil), "seed \(seed): \(text.prefix(60))")
      #expect(whole?.scheme == beginning?.scheme)
      #expect(whole?.host() == beginning?.host())
    }
  }

  @Test("is short for a long URL of plain characters, and never ends in a cut byte")
  func length() {
    for offset in 0..<4 {
      let text =
        "a:" + String(repeating: "x", count: offset) + String(repeating: "%20", count: 9000)
      let beginning = URLBeginning.of(text)
      #expect(beginning.utf8.count <= 4096)
      #expect(text.hasPrefix(beginning) && URL(string: beginning) != nil)
    }
  }

  @Test("ends with a cut escape as the whole does", arguments: ["%", "%2", "%2a", "%2g"])
  func cutEscape(_ end: String) {
    let text = "a:" + String(repeating: "x", count: 9000) + end
    let whole = URL(string: text, encodingInvalidCharacters: false)
    let beginning = URL(string: URLBeginning.of(text), encodingInvalidCharacters: false)
    #expect((whole == nil) == (beginning == nil))
  }
}
