import LaunchRules
import Testing

@Suite("What the user is asked") struct ConfirmationSentenceTests {
  private static let phone = Sample.app("phone", claims: ["tel", "facetime"], system: true)
  private static let photos = Sample.app("photos", claims: ["photos"])

  private func sentence(
    _ subject: String, from origin: ConfirmationTable.Origin = .application,
    to handler: InstalledApplication = phone
  ) -> String {
    let scheme = Sample.scheme(String(subject.unicodeScalars.prefix { $0 != ":" }))
    return ConfirmationRule.Situation(
      scheme: scheme, opener: nil, origin: origin, handler: .application(handler)
    ).sentence(subject)
  }

  @Test("A call names the number without the scheme, also after slashes") func call() {
    let name = Self.phone.declaration.visibleName
    #expect(sentence("tel:1-408") == "Let a program call 1-408 with \(name)?")
    #expect(sentence("tel://1-408", from: .web) == "Let a web page call 1-408 with \(name)?")
    // The first character of the number would form one character with the colon.
    #expect(sentence("tel:\u{e0041}1") == "Let a program call  1 with \(name)?")
    #expect(
      sentence("facetime:a@b.c") == "Let a program start a FaceTime call to a@b.c with \(name)?")
    #expect(sentence("tel:") == "Let a program open tel: with \(name)?")
    #expect(sentence("facetime://", from: .web) == "Let a web page open facetime:// with \(name)?")
  }

  @Test("A URL has no blanks, so that no words of the question are in it") func blanks() {
    #expect(
      sentence("photos:1 with com.good.app?\u{a0}\u{3000}x\u{202e}y", to: Self.photos)
        == "Let a program open photos:1%20with%20com.good.app?%C2%A0%E3%80%80x%20y with photos?")
  }

  @Test("D7: a call shows the whole number or address, also on a device") func whole() throws {
    let name = Self.phone.declaration.visibleName
    let address = String(repeating: "a", count: 250) + "@b.c"
    #expect(
      sentence("facetime-audio:" + address)
        == "Let a program start a FaceTime call to \(address) with \(name)?")
    let number = String(repeating: "1-", count: 140) + "9"
    #expect(sentence("tel:" + number) == "Let a program call \(number) with \(name)?")
    let device = try #require(Device(id: "a", name: "Pixel"))
    #expect(
      ConfirmationRule.Situation(
        scheme: Sample.scheme("facetime"), opener: nil, origin: .web, handler: .device(device)
      ).sentence("facetime:" + address)
        == "Let a web page start a FaceTime call to \(address) with Pixel?")
  }

  @Test("A call or a message of another device names the device") func handoff() throws {
    let device = try #require(Device(id: "a", name: "Pixel"))
    func sentence(_ subject: String, isHandoff: Bool = true) -> String {
      ConfirmationRule.Situation(
        scheme: Sample.scheme(String(subject.prefix { $0 != ":" })), opener: nil, origin: .web,
        handler: .device(device), isHandoff: isHandoff
      ).sentence(subject)
    }
    #expect(sentence("tel:1-408") == "Let a web page call 1-408 with Pixel?")
    #expect(sentence("sms:1-408") == "Let a web page write a message to 1-408 with Pixel?")
    #expect(
      sentence("sms:1-408", isHandoff: false)
        == "Let a web page open sms:1-408 on the device Pixel?")
  }

  @Test("Another open names the whole URL, in one line of limited length") func other() {
    let name = Self.photos.declaration.visibleName
    #expect(
      sentence("photos:a\nb", to: Self.photos) == "Let a program open photos:a%20b with \(name)?")
    let long = "photos:" + String(repeating: "x", count: 194)
    #expect(
      sentence(long, to: Self.photos) == "Let a program open \(long.prefix(199))… with \(name)?")
    #expect(
      sentence(String(long.dropLast()), to: Self.photos)
        == "Let a program open \(long.dropLast()) with \(name)?")
  }

  @Test("The terminal of a program may ask; that of an application, or about a link, may not")
  func terminal() {
    let application = Caller.application(Sample.id("photos"), .checkedIn)
    func objection(_ caller: Caller, _ origin: ConfirmationTable.Origin) -> String? {
      TerminalRule.objection(toTerminalOf: caller, about: origin)
    }
    #expect(objection(.unidentified, .application) == nil)
    #expect(
      objection(.unidentified, .web)
        == "the terminal of the opener is not asked about a link of a web page")
    #expect(objection(application, .application) == "the terminal of an application is not asked")
    #expect(objection(application, .web) == "the terminal of an application is not asked")
  }
}
