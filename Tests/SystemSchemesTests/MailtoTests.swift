import LaunchRules
import SystemSchemes
import Testing

@Suite struct `mailto URLs` {
  @Test(
    "R9.1 name the address of the letter",
    arguments: [
      ("mailto:frank@wwdcdemo.example.com", ["frank@wwdcdemo.example.com"]),
      ("mailto:frank@163.com", ["frank@163.com"]),
      ("MAILTO:a@b.example,c@d.example", ["a@b.example", "c@d.example"]),
      ("mailto:a@b.example%2C%20c@d.example", ["a@b.example", "c@d.example"]),
      ("mailto:?to=a@b.example", ["a@b.example"]),
      (
        "mailto:a@b.example?to=c@d.example&to=e@f.example",
        ["a@b.example", "c@d.example", "e@f.example"]
      ),
      ("mailto:%22a,b%22@c.example", ["\"a,b\"@c.example"]),
      ("mailto://a@b.example", ["a@b.example"]),
    ])
  func addresses(_ text: String, _ to: [String]) throws {
    let url = try MailtoURL(text)
    #expect(url.to == to)
    #expect(url.notes == [])
  }

  @Test("R9.1 R9.3 the seeds' letter, with its fields") func seed() throws {
    let url = try MailtoURL(
      "mailto:foo@example.com?cc=bar@example.com&subject=Greetings%20from%20Cupertino!"
        + "&body=Wish%20you%20were%20here!")
    #expect(url.to == ["foo@example.com"])
    #expect(url.cc == ["bar@example.com"])
    #expect(url.bcc == [])
    #expect(url.subject == "Greetings from Cupertino!")
    #expect(url.body == "Wish you were here!")
    #expect(
      url.sentence
        == "writes a letter: to \"foo@example.com\", cc \"bar@example.com\","
        + " subject \"Greetings from Cupertino!\", body \"Wish you were here!\"")
  }

  @Test("R9.1 cc and bcc may name several") func copies() throws {
    let url = try MailtoURL(
      "mailto:a@b.example?cc=c@d.example,e@f.example&bcc=g@h.example&cc=i@j.example")
    #expect(url.cc == ["c@d.example", "e@f.example", "i@j.example"])
    #expect(url.bcc == ["g@h.example"])
  }

  @Test(
    "D4: a letter without an address is handed on as given, and the explanation says so",
    arguments: [
      "mailto:", "mailto:?subject=x!", "mailto:?cc=a@b.example", "mailto:,", "mailto:?to=",
    ])
  func noAddress(_ text: String) {
    let checked = CheckedURL(text, .checked)
    #expect(checked.problem == nil && checked.text == text)
    #expect(
      checked.explanation.first?.hasPrefix(
        "writes a letter: without a recipient, although Apple requires an address (R9.1)") == true)
  }

  @Test(
    "R9.1 what is no address is none",
    arguments: [
      ("mailto:frank", "\"frank\""), ("mailto:@b", "\"@b\""), ("mailto:a@", "\"a@\""),
      ("mailto:a@b@c", "\"a@b@c\""), ("mailto:a@b%0D%0ABcc:x", "\"a@b\\u{d}\\u{a}Bcc:x\""),
      ("mailto:%22a@b", "\"\"a@b\""),
    ])
  func notAnAddress(_ text: String, _ shown: String) {
    #expect(problem(text) == "\(shown) is not a mail address")
  }

  @Test(
    "D4: a recipient with an encoded comma is refused as a whole, and the letter goes to nobody else",
    arguments: [
      ("a%2Cb@c.d", "a,b@c.d"), ("a%2cb@c.d", "a,b@c.d"), ("%2Cb@c.d", ",b@c.d"),
      ("b@c.d%2C", "b@c.d,"),
      ("Doe%2C%20J%20%3Cj@d.e%3E", "Doe, J <j@d.e>"), ("//a%2Cb@c.d", "a,b@c.d"),
    ])
  func encodedComma(_ recipient: String, _ shown: String) throws {
    #expect(problem("mailto:" + recipient) == "\"\(shown)\" is not a mail address")
    guard !recipient.hasPrefix("/") else { return }
    #expect(problem("mailto:?to=" + recipient) == "\"\(shown)\" is not a mail address")
    for field in ["cc", "bcc", "to"] {
      let text = "mailto:x@y.example?\(field)=z@y.example,\(recipient)"
      let url = try MailtoURL(text)
      #expect(url.to + url.cc + url.bcc == ["x@y.example", "z@y.example"])
      #expect(
        url.notes.map(\.description)
          == ["\(field): \"\(shown)\" is not a mail address and was dropped"])
      #expect(CheckedURL(text, .checked).text == "mailto:x@y.example?\(field)=z@y.example")
    }
  }

  @Test(
    "D4: where a part is dropped, the others have the bytes of the URL",
    arguments: [
      ("MailTo:a%40b.c?CC=z@y.x,nobody&Subject=%61", "MailTo:a%40b.c?CC=z@y.x&Subject=%61"),
      ("mailto:a@b.c?b%43c=%20%7a@y.x%2cq%40r.s,no", "mailto:a@b.c?b%43c=%7a@y.x,q%40r.s"),
      ("mailto:a@b.c?SUBJECT=%61:;%0d%0a%7E%0Az!", "mailto:a@b.c?SUBJECT=%61:;%20%7E%20z!"),
      ("mailto://a@b.c/?from=x&body=%7e", "mailto://a@b.c?body=%7e"),
    ])
  func bytes(_ text: String, _ handedOn: String) {
    #expect(CheckedURL(text, .checked).text == handedOn)
  }

  @Test("D4: a combining mark does not hide a comma") func hiddenComma() {
    #expect(problem("mailto:a%2C%CC%81b@c.d") == "\"a,\u{301}b@c.d\" is not a mail address")
  }

  @Test("D4: an encoded comma in quotes is part of the address") func quotedComma() throws {
    let url = try MailtoURL("mailto:%22a%2Cb%22@c.example,d@e.example?from=x")
    #expect(url.to == ["\"a,b\"@c.example", "d@e.example"])
    #expect(url.written == "mailto:%22a%2Cb%22@c.example,d@e.example")
  }

  @Test("R9.2 from is dropped, in any case") func from() throws {
    let url = try MailtoURL("mailto:a@b.example?From=me@x.example&subject=s")
    #expect(url.subject == "s")
    #expect(
      url.notes.map(\.description) == ["from: dropped: the sender is the user's choice (R9.2)"])
  }

  @Test("R9.3 a plus is a plus, names of fields have no case, lines end with CR LF")
  func encoding() throws {
    let url = try MailtoURL("mailto:a+b@c.example?SUBJECT=1+1&Body=one%0D%0Atwo%20%E2%82%AC")
    #expect(url.to == ["a+b@c.example"])
    #expect(url.subject == "1+1")
    #expect(url.body == "one\r\ntwo €")
  }

  @Test(
    "R9.3 what is unknown or unsafe is dropped, with a note",
    arguments: [
      (
        "mailto:a@b.example?attach=/etc/passwd",
        "\"attach\": dropped: the fields are to, cc, bcc, subject and body (R9.3)"
      ),
      (
        "mailto:a@b.example?subject=x%0D%0ABcc:%20y", "subject: its line breaks were read as blanks"
      ),
      ("mailto:a@b.example?body=1&body=2", "body: a second one was dropped: the first counts"),
      ("mailto:a@b.example?cc=nobody", "cc: \"nobody\" is not a mail address and was dropped"),
      ("mailto:a@b.example?body=%FF", "\"body\": dropped: its percent-encoded bytes are not UTF-8"),
      ("mailto:a@b.example#x", "#: what follows it is dropped: mailto has no fragment"),
    ])
  func dropped(_ text: String, _ note: String) throws {
    #expect(try notes(text) == [note])
  }

  @Test("R9.3 a subject stays on one line") func injection() throws {
    #expect(
      try MailtoURL("mailto:a@b.example?subject=x%0D%0ABcc:%20y%0Az").subject == "x Bcc: y z")
  }

  @Test("Very many fields make few notes") func bounded() throws {
    let fields = (0..<10_000).map { "f\($0)=x" }.joined(separator: "&")
    let url = try MailtoURL("mailto:a@b.example?" + fields)
    #expect(url.notes.count == 21)
    #expect(url.notes.last?.description == "…: more was dropped, which is not listed")
  }

  @Test("that are too long to explain are not looked at") func tooLong() {
    let letter = "mailto:a@b.example?subject="
    let longest = letter + String(repeating: "x", count: 65_536 - letter.utf8.count)
    #expect(told(longest).first?.hasPrefix("writes a letter") == true)
    #expect(
      told(longest + "x")
        == ["not checked: only a URL of at most 65536 bytes is checked"])
  }
}
