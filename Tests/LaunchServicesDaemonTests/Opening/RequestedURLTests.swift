import LaunchRules
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("URLs that are asked about") struct RequestedURLTests {
  private func refusal(_ text: String) -> String? {
    do throws(OpenFailure) {
      _ = try RequestedURL(text, longest: 200)
      return nil
    } catch {
      return error.sentence
    }
  }

  @Test(
    "U5: a suggestion is itself accepted",
    arguments: [
      "x://[::%31]", "x://[::%31]/a b", "x://[", "x:a b", "x:%zz", "x://h:port/ä", "x:{\u{0}}",
      "http://[::1%25 eth0]/", "x://a b/", "1x:a b",
      "x:" + String(repeating: "ä", count: 99),
    ])
  func suggestions(_ text: String) throws {
    let sentence = try #require(refusal(text))
    let mark = "did you mean "
    guard let range = sentence.firstRange(of: mark) else { return }
    #expect(refusal(String(sentence[range.upperBound...])) == nil, "\(sentence)")
  }

  @Test("E1: a web URL whose host is not ASCII gets no suggestion with another host")
  func hostBeyondASCII() {
    #expect(
      refusal("http://müller.example/?a=secret")
        == "the host müller.example is not ASCII; write its Punycode form, which begins with xn--")
    #expect(
      refusal("HTTPS://ü@中:8/")
        == "the host 中 is not ASCII; write its Punycode form, which begins with xn--")
    #expect(refusal("http://ü@h/")?.hasSuffix("did you mean http://%C3%BC@h/") == true)
  }

  @Test(
    "a mail that would attach a file is recognised in each spelling",
    arguments: [
      ("mailto:a@b.example?attach=/etc/passwd", true), ("mailto:?attachment=/etc/passwd", true),
      ("MAILTO:?subject=x&ATTACH=/a", true), ("mailto:?subject=x&%61ttach=/a", true),
      ("mailto:?a?attach=/a", true), ("mailto:?subject=x;attach=/a", true),
      ("mailto:?subject=attach", false), ("mailto:attach@b.example", false),
      ("https://example.com/?attach=1", false),
    ])
  func attachments(_ text: String, _ attaches: Bool) throws {
    #expect(try RequestedURL(text, longest: 200).attachesFile == attaches)
  }

  @Test("U5: a suggestion is made where one helps") func suggestion() {
    #expect(refusal("x:a b%20c")?.hasSuffix("did you mean x:a%20b%20c") == true)
    #expect(refusal("x://[::%31]") == "x://[::%31] is not a URL")
    #expect(refusal("x://[\"\u{1B}\"]") == "x://[\"�\"] is not a URL")
  }

  @Test(
    "U5: a URL with which nothing would be done is not suggested",
    arguments: [
      "sms:1 2", "SMS:\"5\"", "tel:\"x\"", "facetime:\u{e9}", "tel:1*\"", "sms:5?body=\"x\"",
    ])
  func useless(_ text: String) {
    #expect(refusal(text)?.contains("did you mean") == false)
  }

  @Test("what xdg-open passes on is accepted unchanged, without control characters")
  func anyCharacters() {
    func accepted(_ text: String) -> RequestedURL? {
      try? RequestedURL(anyCharacters: text, longest: 200)
    }
    for text in ["x:a b|c", "x:%zz", "x://münchen/ü", "https://\u{1F4A9}.example/", "x:[{}]"] {
      #expect(accepted(text)?.text == text)
    }
    #expect(accepted("https://münchen.example/a b")?.webHost == "xn--mnchen-3ya.example")
    #expect(accepted("x:a b")?.scheme.text == "x")
    for text in [
      "x:a\n", "x:\u{1B}[", "x:\u{85}", "a b", "1x:a b", "", "file:///a b",
      "x:" + String(repeating: "ä", count: 100),
    ] {
      #expect(accepted(text) == nil)
    }
    // A browser reads a backslash as a slash, so it would go to this machine.
    #expect(accepted(#"http://127.0.0.1:631\@example.org/"#)?.hasPublicHost == false)
    #expect(accepted("https://example.org/a b")?.hasPublicHost == true)
    // A host that is not known is no public one.
    #expect(accepted("https://a b/")?.hasPublicHost != true)
  }
}
