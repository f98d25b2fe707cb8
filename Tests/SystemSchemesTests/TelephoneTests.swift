import LaunchRules
import SystemSchemes
import Testing

@Suite struct `tel URLs` {
  @Test("D7: an address is shown as it is written, not in the letters that its Punycode stands for")
  func punycode() {
    #expect(
      CheckedURL("facetime://a@xn--pple-43d.com", .checked).shown
        == "facetime:a@xn--pple-43d.com")
  }

  @Test(
    "D5: where a part is dropped, the others have the bytes of the URL",
    arguments: [
      ("TEL:%2B1-408,,%31%20%202;EXT=%31;a=b:c?x=y", "TEL:%2B1-408,,%312;EXT=%31;a=b:c"),
      ("tel://1-408?x", "tel://1-408"), ("FaceTime:1408*67#", "FaceTime:1408"),
      ("facetime://%6Ae%21@example.com?x=y", "facetime://%6Ae%21@example.com"),
      ("facetime-audio:%2b1408%2a67", "facetime-audio:%2b1408"),
      ("facetime://a@xn--mller-kva.example?x", "facetime://a@xn--mller-kva.example"),
    ])
  func bytes(_ text: String, _ handedOn: String) {
    #expect(CheckedURL(text, .checked).text == handedOn)
  }

  @Test(
    "D13, R9.5 name the number, with its separators",
    arguments: [
      ("tel:1-408-555-5555", "1-408-555-5555"), ("tel:16812345678", "16812345678"),
      ("TEL:+1-408-555-5555", "+1-408-555-5555"), ("tel:(408)555.5555", "(408)555.5555"),
      ("tel://14085555555", "14085555555"), ("tel:555p12,3", "555p12,3"),
      ("tel:555P1W2X3", "555P1W2X3"), ("telprompt:1-408", "1-408"),
    ])
  func number(_ text: String, _ number: String) throws {
    let url = try TelURL(text)
    #expect(url.number == number)
    #expect(url.isDialled)
    #expect(url.notes == [])
    #expect(url.sentence == "dials \"\(number)\"")
  }

  @Test("R9.5 parameters of RFC 3966 are kept apart") func parameters() throws {
    let url = try TelURL("tel:7042;phone-context=example.com;ext=1")
    #expect(url.number == "7042")
    #expect(url.parameters == ["phone-context=example.com", "ext=1"])
  }

  @Test("R9.5 a number is required", arguments: ["tel:", "tel://", "tel:?x", "tel:;ext=1"])
  func noNumber(_ text: String) {
    #expect(problem(text) == "it has no number: write one, as in tel:1-408-555-5555 (R9.5)")
  }

  @Test(
    "R9.5 letters are no number",
    arguments: ["tel:CALL-ME", "tel:+", "tel:1+2", "tel:%D9%A3"])
  func notANumber(_ text: String) {
    let ending = "is not a telephone number: write digits, a + in front and - . ( ) between"
    #expect(problem(text)?.hasSuffix(ending) == true)
  }

  @Test("R9.5 blanks are dropped, with a note") func blanks() throws {
    let url = try TelURL("tel:+1%20408%20555")
    #expect(url.number == "+1408555")
    #expect(url.notes.map(\.description) == ["number: its blanks were dropped: write - instead"])
  }

  @Test(
    "R9.6 with * or # it is not dialled, however it is written",
    arguments: [
      ("tel:*21*5555555#", "*21*5555555#"), ("tel:%2A21%2a5555555%23", "*21*5555555#"),
      ("tel:1-408-555-5555#", "1-408-555-5555#"), ("tel:1*", "1*"),
      ("tel://*21", "*21"), ("tel:1;ext=%23", "1"), ("tel:1?x=*", "1"), ("tel:*", "*"),
    ])
  func code(_ text: String, _ number: String) throws {
    let url = try TelURL(text)
    #expect(url.number == number)
    #expect(!url.isDialled)
    #expect(url.notes.last?.description == "number: it is not dialled: it contains * or # (R9.6)")
    #expect(url.sentence == "dials nothing, and shows \"\(number)\"")
    for form in SystemSchemeForm.allCases {
      #expect(
        CheckedURL(text, form).problem
          == "it contains * or #, and such a number is not dialled (R9.6)", "D5: \(form)")
    }
  }

  @Test("what is not UTF-8 is no number") func notUTF8() {
    #expect(problem("tel:%FF1") == "its percent-encoded bytes are not UTF-8")
  }
}

@Suite struct `facetime URLs` {
  @Test(
    "R9.9 name a number or an address, in the form of pages and of applications",
    arguments: [
      ("facetime:14085551234", FaceTimeURL.Callee.phone("14085551234"), false),
      ("facetime:user@example.com", .email("user@example.com"), false),
      ("facetime-audio:14085551234", .phone("14085551234"), true),
      ("facetime-audio:user@example.com", .email("user@example.com"), true),
      ("facetime://14085551234", .phone("14085551234"), false),
      ("facetime://user@example.com", .email("user@example.com"), false),
      ("facetime-audio://14085551234", .phone("14085551234"), true),
      ("facetime-audio://user@example.com", .email("user@example.com"), true),
      ("FaceTime://+1-408-555-1234/", .phone("+1-408-555-1234"), false),
      ("facetime:us*er@example.com", .email("us*er@example.com"), false),
    ])
  func callee(_ text: String, _ callee: FaceTimeURL.Callee, _ isAudioOnly: Bool) throws {
    let url = try FaceTimeURL(text)
    #expect(url.callee == callee)
    #expect(url.isAudioOnly == isAudioOnly)
    #expect(url.notes == [])
  }

  @Test(
    "R9.10 * and # after the number are ignored, with what follows",
    arguments: [
      "facetime:14085551234*67", "facetime:14085551234#", "facetime://14085551234*67#1",
      "facetime:14085551234%2367", "facetime-audio://14085551234%2A67",
    ])
  func code(_ text: String) throws {
    let url = try FaceTimeURL(text)
    #expect(url.callee == .phone("14085551234"))
    #expect(url.notes.map(\.description) == ["* #: ignored, with what follows (R9.10)"])
  }

  @Test(
    "R9.10 * and # before the number leave nothing", arguments: ["facetime:*67123", "facetime:#1"])
  func codeFirst(_ text: String) {
    #expect(problem(text)?.hasPrefix("it has no phone number") == true)
  }

  @Test("R9.9 an operand is required, and is one of the two")
  func problems() {
    #expect(
      problem("facetime:")
        == "it has no phone number and no mail address: add one, as in"
        + " facetime:user@example.com (R9.9)")
    #expect(
      problem("facetime-audio:user")
        == "\"user\" is neither a phone number nor a mail address (R9.9)")
    #expect(problem("facetime:a@b.example,c@d.example") != nil)
  }

  @Test("R9.9 a query is dropped") func query() throws {
    #expect(
      try notes("facetime:1?x=1") == ["?: what follows it is dropped: facetime has no query"])
  }
}

@Suite struct `sms URLs` {
  @Test(
    "R9.12 name a number or nothing",
    arguments: [
      ("sms:", nil as String?), ("sms:1-408-555-1212", "1-408-555-1212"),
      ("sms:16812345678", "16812345678"),
      ("sms:+1.408.555", "+1.408.555"), ("sms://", nil), ("SMS://123", "123"),
    ])
  func recipient(_ text: String, _ recipient: String?) throws {
    let url = try SMSURL(text)
    #expect(url.recipient == recipient)
    #expect(
      url.sentence
        == (recipient.map { "writes a message to \"\($0)\"" }
          ?? "opens Messages, without a recipient"))
  }

  @Test(
    "R9.12 no text or anything else may follow",
    arguments: [
      "sms:123&body=hello", "sms:123?body=hello", "sms:?body=hello", "sms:123;body=x", "sms:123#x",
      "sms:123?",
    ])
  func body(_ text: String) {
    #expect(
      problem(text)
        == "it contains more than a number: an sms URL must not have a message text or anything else"
        + " (R9.12)")
  }

  @Test(
    "R9.12 other characters are not allowed",
    arguments: ["sms:(408)555", "sms:a", "sms:1%202", "sms:1,2", "sms:*1"])
  func characters(_ text: String) {
    #expect(
      problem(text)?.hasSuffix("is not a number for sms: allowed are digits and + - . (R9.12)")
        == true)
  }

  @Test("R9.12 a number has a digit") func digits() {
    #expect(problem("sms:+") == "\"+\" contains no digit (R9.12)")
  }
}
