import Commands
import DBus
import Foundation
import SeededRandom
import Testing

@testable import lsopen

/// Foundation is the judge of what may stand in a URL, in the daemon, too.
@Suite struct URLEncodingTests {
  @Test("E1: on a terminal lsopen says what it sends") func tells() {
    let screen = Screen()
    let script = ScriptedService(.success([.options([:])]), .success([.options([:])]))
    let command = OpenCommand(
      service: script.service, output: screen.output(of: "lsopen"), environment: { _ in nil },
      folder: "/usr", showsRemarks: true)
    #expect(command.run(["x:a b", "y:%20"]) == .success)
    #expect(
      screen.standardError
        == "lsopen: x:a b: percent-encoded characters that are not allowed in a URL: x:a%20b; use"
        + " --verbatim to send the text unchanged\n")
  }

  static let examples: [(String, String?)] = [
    (#"a:x?n="q""#, "a:x?n=%22q%22"), ("a:中", "a:%E4%B8%AD"),
    ("a:b[c]?d[e]#f[g]", "a:b%5Bc%5D?d%5Be%5D#f%5Bg%5D"),
    ("a:x#b#c", "a:x#b%23c"), ("a:100%", "a:100%25"), ("a:%zz", "a:%25zz"),
    ("a:%20 x", "a:%20%20x"),
    ("a:x\ny", "a:x%0Ay"), ("a://日本/x", "a://%E6%97%A5%E6%9C%AC/x"),
    ("file:///a b", "file:///a%20b"),
    ("http://exämple.com/ x", nil), ("http://example.com/ä", "http://example.com/%C3%A4"),
    ("http://ü@h/", "http://%C3%BC@h/"), ("http://a b@c@h/ü", "http://a%20b@c@h/%C3%BC"),
    ("http://ü@ä/", nil),
    ("a:", nil), ("a:b%20c?d=e&f#g", nil), ("tel:*21*1#", nil), ("a://[::1]:80/x?y", nil),
    ("no URL", nil),
  ]

  @Test("E1: as URL(string:) does, but for what is encoded already", arguments: examples)
  func example(text: String, encoded: String?) { #expect(URLEncoding.encoded(text) == encoded) }

  @Test("E1: a URL that is one stays as it is, and what is encoded is one") func random() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var random = SplitMix64(seed: seed)
    let parts = [
      "a", "Z", "0", "-", "._~", "!$&'()*+,;=", ":", "@", "/", "//", "?", "#", "[", "]", "%", "%4",
      "%41", "%G1",
      " ", "\"", "<>", "\\", "^", "`", "{|}", "\u{1}", "\u{7F}", "é", "中", "👩‍👩‍👧",
    ]
    for _ in 0..<5000 {
      let count = Int.random(in: 0...8, using: &random)
      let text = "x:" + (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      let isURL = URL(string: text, encodingInvalidCharacters: false) != nil
      let encoded = URLEncoding.encoded(text)
      #expect(!(isURL && encoded != nil), "\(text.debugDescription) is a URL")
      guard let encoded, !text.hasPrefix("x://") else { continue }
      #expect(
        URL(string: encoded, encodingInvalidCharacters: false) != nil,
        "\(encoded) of \(text.debugDescription) is no URL")
    }
  }
}
