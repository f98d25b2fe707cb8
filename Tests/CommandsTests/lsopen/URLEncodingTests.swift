import Commands
import DBus
import Foundation
import InternationalHosts
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
        == "lsopen: x:a b: encoded characters that are not allowed in a URL: x:a%20b; use"
        + " --verbatim to send the text unchanged\n")
  }

  static let examples: [(String, String?)] = [
    (#"a:x?n="q""#, "a:x?n=%22q%22"), ("a:中", "a:%E4%B8%AD"),
    ("a:b[c]?d[e]#f[g]", "a:b%5Bc%5D?d%5Be%5D#f%5Bg%5D"),
    ("a:x#b#c", "a:x#b%23c"), ("a:100%", "a:100%25"), ("a:%zz", "a:%25zz"),
    ("a:%20 x", "a:%20%20x"),
    ("a:x\ny", "a:x%0Ay"), ("tel://日本/x", "tel://%E6%97%A5%E6%9C%AC/x"),
    ("file:///a b", "file:///a%20b"),
    ("http://exämple.com/ x", "http://xn--exmple-cua.com/%20x"),
    ("http://example.com/ä", "http://example.com/%C3%A4"),
    ("http://ü@h/", "http://%C3%BC@h/"), ("http://a b@c@h/ü", "http://a%20b@c@h/%C3%BC"),
    // The whole is no URL, also with its port encoded.
    (#"myphotoapp://h:8"0/"#, nil),
    ("a:", nil), ("a:b%20c?d=e&f#g", nil), ("tel:*21*1#", nil), ("a://[::1]:80/x?y", nil),
    ("no URL", nil),
  ]

  @Test("E1: as URL(string:) does, but for what is encoded already", arguments: examples)
  func example(text: String, encoded: String?) throws {
    #expect(try URLEncoding.encoded(text) == encoded)
  }

  @Test(
    "E1: a host that is not ASCII is sent as URL(string:) writes it",
    arguments: [
      "http://müller.example/ü", "myphotoapp://测试/中", "http://ü@h/",
      "http://ü:ä@müller.example:80/x?ü#ä", "HTTPS://MÜLLER.example", "http://faß.de/",
      "http://a_ü.example/", "http://中。example/", "http://ＡＢＣ.example/", "x://u\u{308}\u{301}/",
      "http://ü.example./", "ftp://ü/", "mailto://ü/", "sms://ü/", "x://אב1.example/?é",
      "x://1.2.3.４/", "http://[::1]/ü", "tel://ü/x", "TelPrompt://ü", "facetime://ü",
      "facetime-audio://ü", "facetime-prompt://ü", "facetime-audio-prompt://ü",
      "facetime-group://ü",
      "telemergencycall://ü", "callto://ü", "imap://ü/", "pop://ü/", "addressbook://ü",
      "contact://ü",
      "phasset://ü", "http+unix://ü/", "ws+unix://ü/", "wss://ü/", "imaps://ü/", "myapp:ü",
    ])
  func host(text: String) throws {
    #expect(try URLEncoding.encoded(text) == URL(string: text)?.absoluteString)
  }

  @Test(
    "E1: a host that has no form in ASCII is no host",
    arguments: [
      "ü b", "测 试", "-ü.example", "ü..a", "\u{200d}ü", "\u{202e}a.example", "xn--ü", "aא.example",
      "ab--ü.example", "h\"ü", "<ü>", String(repeating: "ü", count: 70) + ".example",
    ])
  func noHost(host: String) {
    #expect(URL(string: "x://\(host)/") == nil)
    #expect(throws: InternationalHost.NotConvertible(host: host)) {
      try URLEncoding.encoded("x://\(host)/")
    }
  }

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
      let encoded = try? URLEncoding.encoded(text)
      #expect(!(isURL && encoded != nil), "\(text.debugDescription) is a URL")
      guard let encoded, !text.hasPrefix("x://") else { continue }
      #expect(
        URL(string: encoded, encodingInvalidCharacters: false) != nil,
        "\(encoded) of \(text.debugDescription) is no URL")
    }
  }
}
