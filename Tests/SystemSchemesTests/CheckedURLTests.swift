import LaunchRules
import SystemSchemes
import Testing

@Suite("URLs of system schemes are handed on as they are explained") struct CheckedURLTests {
  @Test(
    "D5 D6 D8: what is explained as dropped is dropped",
    arguments: [
      (
        "mailto:a@b.example?from=c@d.example&subject=Hi%20there!",
        "mailto:a@b.example?subject=Hi%20there!"
      ),
      (
        "mailto:a@b.example,no?attach=/etc/passwd&body=1%0D%0A2&cc=e@f.example",
        "mailto:a@b.example?body=1%0D%0A2&cc=e@f.example"
      ),
      (
        "mailto:%61+x@b.example,no,%63@d.example?BCC=e%40f.example&from=x&Body=a'%2f%2F;(b)?&to=g@h.example",
        "mailto:%61+x@b.example,%63@d.example?BCC=e%40f.example&Body=a'%2f%2F;(b)?&to=g@h.example"
      ),
      ("mailto:a@b.example#x", "mailto:a@b.example"),
      ("mailto:?attach=/etc/passwd", "mailto:"),
      ("facetime:1408*67#", "facetime:1408"), ("facetime://1408%2A67", "facetime://1408"),
      ("facetime-audio:a@b.example?x=1", "facetime-audio:a@b.example"),
      ("tel:1%20408;ext=12", "tel:1408;ext=12"), ("TEL:1?x=1", "TEL:1"),
    ])
  func dropped(_ text: String, _ handedOn: String) {
    let checked = CheckedURL(text, .checked)
    #expect(checked.text == handedOn)
    #expect(checked.problem == nil)
    #expect(checked.explanation.count > 1)
    #expect(CheckedURL(handedOn, .checked).text == handedOn)
    let verbatim = CheckedURL(text, .verbatim)
    #expect(verbatim.text == text && verbatim.problem == nil)
    #expect(
      verbatim.explanation[1]
        == "delivered unchanged, because the setting SystemSchemeForm is verbatim")
    #expect(
      verbatim.explanation.dropFirst(2).allSatisfy {
        $0.hasPrefix("with SystemSchemeForm = checked it would be changed: ")
      } && verbatim.explanation.count == checked.explanation.count + 1)
  }

  @Test(
    "D8: nothing is changed where nothing is dropped",
    arguments: [
      "mailto:a@b.example?subject=Hi!&body=%41", "MAILTO:A@b.example", "tel:+1-(408)-555;ext=1",
      "facetime://user@example.com", "sms:", "SMS:1-408", "myapp:*#",
      "myapp:%00%ff%41",
      "http://maps.apple.com/?z=99&q=*", "https://example.com/#x",
    ])
  func unchanged(_ text: String) {
    for form in SystemSchemeForm.allCases {
      #expect(CheckedURL(text, form).text == text)
      #expect(CheckedURL(text, form).problem == nil)
    }
  }

  @Test(
    "D4: nothing is said of a web URL that no system application gets",
    arguments: ["http://x.example/%C3", "https://x.example/%E9?q=%E9", "http://%C3.example/"])
  func otherSite(_ text: String) {
    for form in SystemSchemeForm.allCases {
      #expect(CheckedURL(text, form).explanation == [])
      #expect(CheckedURL(text, form).problem == nil)
    }
    #expect(CheckedURL("http://maps.apple.com/%C3", .checked).explanation.count == 1)
  }

  @Test(
    "D7: a URL with which nothing would be done is refused, unless it is handed on as given",
    arguments: ["tel:", "facetime:foo", "facetime:", "sms:abc", "sms:1?body=x", "mailto:foo"])
  func refused(_ text: String) throws {
    let checked = CheckedURL(text, .checked)
    let problem = try #require(checked.problem)
    #expect(checked.explanation == ["nothing would be done with it: \(problem)"])
    let failure = OpenFailure.invalidURL("nothing would be done with this URL: \(problem)")
    #expect(
      checked.finding(opensApplication: false) == .refused(failure, opensApplication: false))
    let calls = text.hasPrefix("tel") || text.hasPrefix("facetime")
    #expect(
      CheckedURL(text, .verbatim).finding(opensApplication: false)
        == .accepted(shown: calls ? text : nil))
  }

  @Test(
    "D7: the question shows the whole number",
    arguments: [
      ("tel:1-408-555-5555", "tel:1-408-555-5555"), ("tel:%31;ext=2", "tel:1;ext=2"),
      ("facetime://a%40b.example", "facetime:a@b.example"), ("mailto:a@b.example", nil),
    ] as [(String, String?)])
  func shown(_ text: String, _ shown: String?) {
    #expect(CheckedURL(text, .checked).finding(opensApplication: false).shown == shown)
  }

  @Test(
    "D7: what a question cannot show whole is refused before anybody is asked, in both forms",
    arguments: [
      ("tel:", String(repeating: "1", count: 100), "1", "telephone number", 100),
      ("tel:", String(repeating: "1-", count: 49) + "22", "2", "telephone number", 100),
      ("tel:", "1;ext=" + String(repeating: "1", count: 94), "1", "telephone number", 100),
      ("facetime:", String(repeating: "1", count: 100), "1", "telephone number", 100),
      ("facetime:", String(repeating: "a", count: 250) + "@b.c", "d", "mail address", 254),
      ("sms:", String(repeating: "1", count: 100), "1", "telephone number", 100),
    ])
  func tooLongToShow(
    _ scheme: String, _ longest: String, _ more: String, _ kind: String, _ most: Int
  ) {
    for form in SystemSchemeForm.allCases {
      let whole = CheckedURL(scheme + longest, form)
      #expect(whole.problem == nil && whole.shown == scheme + longest)
      let cut = CheckedURL(scheme + longest + more, form)
      let problem =
        "it has \(most + 1) characters after the scheme, and a \(kind) has at most \(most)"
      #expect(cut.problem == problem && cut.shown == nil)
      #expect(cut.explanation == ["nothing would be done with it: \(problem)"])
    }
  }

  @Test("D7: also with #, where the number is handed on as given") func shownVerbatim() {
    #expect(CheckedURL("facetime:1408*67#", .checked).shown == "facetime:1408")
    for text in [
      "facetime:1408*67#", "facetime:555%20#900", "facetime:555%20?900#1", "facetime:5%0a#900-666",
      "facetime:14%2008*67#",
    ] {
      #expect(CheckedURL(text, .verbatim).shown == text)
    }
  }

  @Test("a long URL of a system scheme is refused, because nobody knows what it holds") func long()
  {
    let body = String(repeating: "x", count: 1 << 16)
    let problem = "it is too long: only a URL of at most 65536 bytes is checked"
    #expect(CheckedURL("mailto:a@b.example?body=" + body, .checked).problem == problem)
    #expect(CheckedURL("mailto:a@b.example?body=" + body, .verbatim).problem == nil)
    #expect(CheckedURL("myapp:" + body, .checked).problem == nil)
    for form in SystemSchemeForm.allCases {
      #expect(CheckedURL("tel:" + body, form).problem == problem)
    }
  }

  @Test("what is handed on is not changed again, whatever the bytes") func noise() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var state = seed
    let pieces = [
      "a@b", ",", "?", "&", "=", "to", "subject", "body", "cc", "from", "%22", "%2C", "%0A", "+",
      "1", "-",
      ";", "#", "%20", "*", "%C3%A9", "//", "%25", "\"",
    ]
    for _ in 0..<5_000 {
      var text = ["mailto:", "tel:", "facetime:"][Int(state >> 33) % 3]
      for _ in 0..<12 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int(state >> 33) % pieces.count]
      }
      let checked = CheckedURL(text, .checked)
      guard checked.problem == nil else { continue }
      let again = CheckedURL(checked.text, .checked)
      #expect(again.problem == nil && again.text == checked.text, "seed \(seed): \(text)")
    }
  }
}
