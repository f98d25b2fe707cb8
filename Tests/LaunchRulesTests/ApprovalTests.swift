import LaunchRules
import Testing

@Suite("Remembered answers")
struct ApprovalTests {
  @Test("D2: an answer that would never count is refused with the reason") func objections()
    throws
  {
    func objection(_ opener: Approvals.Opener, _ scheme: String) throws -> String? {
      ConfirmationRule.objection(
        toRemembering: .init(
          opener: opener, scheme: try #require(URLScheme(scheme)),
          handler: try #require(BundleIdentifier("com.example.phone"))),
        in: Sample.registry([Sample.app("caller")]))
    }
    #expect(
      try objection(.anybody, "tel")
        == "answers about tel are never remembered; the rows tel-web and tel-application of the setting"
        + " Confirmations can switch the question off")
    #expect(
      try objection(.web, "tel")
        == "answers about tel are never remembered; the row tel-web of the setting Confirmations can"
        + " switch the question off")
    #expect(
      try objection(.application(Sample.id("caller")), "tel")
        == "answers about tel are never remembered; the row tel-application of the setting"
        + " Confirmations can switch the question off")
    #expect(
      try objection(.unidentified, "facetime")
        == "answers about facetime from macOS are never remembered; the row facetime-application-macos"
        + " of the setting Confirmations can switch the question off; for an iOS application name it"
        + " with --opener")
    #expect(try objection(.web, "photos") == nil)
  }

  @Test(
    "scheme and handler in each other's place are noticed where this is certain",
    arguments: [
      ("com.example.photos", "photos", true), ("com.example.photos", "Photos", true),
      // The handler may be registered later, also one whose identifier looks like a scheme.
      ("com.example.photos", "notes", false), ("com.example.later", "photos", false),
      ("photos", "com.example.photos", false), ("com.example.photos", "com.example.photos", false),
      ("com.example.photos", "mail", false),
    ])
  func swapped(_ scheme: String, _ handler: String, _ isNoticed: Bool) throws {
    let registry = Sample.registry([
      Sample.app("com.example.photos", claims: ["photos", "mail"]), Sample.app("mail"),
    ])
    let objection = ConfirmationRule.objection(
      toRemembering: .init(
        opener: .anybody, scheme: try #require(URLScheme(scheme)), handler: Sample.id(handler)),
      in: registry)
    let expected =
      "com.example.photos is an application, and photos is its scheme: the scheme comes first:"
      + " photos com.example.photos"
    #expect(objection == (isNoticed ? expected : nil))
  }

  private func key(_ opener: String, _ scheme: String = "tel") throws -> Approvals.Key {
    Approvals.Key(
      opener: try #require(Approvals.Opener(opener)), scheme: try #require(URLScheme(scheme)),
      handler: try #require(BundleIdentifier("com.example.phone")))
  }

  @Test("the opener's own comes before that for anybody") func order() throws {
    var approvals = Approvals()
    #expect(approvals[try key("com.example.a")] == nil)
    approvals.remember(try key("*"), false)
    approvals.remember(try key("com.example.a"), true)
    #expect(approvals[try key("com.example.a")] == true)
    #expect(approvals[try key("com.example.b")] == false)
    #expect(approvals[try key("@web")] == false)
    #expect(approvals[try key("com.example.a", "sms")] == nil)
  }

  @Test("are forgotten by opener, scheme and handler") func reset() throws {
    var approvals = Approvals()
    for opener in ["@web", "@unidentified", "com.example.a"] {
      for scheme in ["tel", "sms"] { approvals.remember(try key(opener, scheme), true) }
    }
    #expect(forget(&approvals) { $0.reset(opener: .web, scheme: URLScheme("tel")) } == 1)
    #expect(forget(&approvals) { $0.reset(scheme: URLScheme("sms")) } == 3)
    #expect(forget(&approvals) { $0.reset() } == 2)
    #expect(approvals.entries.isEmpty)
  }

  @Test("openers are written as they are read", arguments: ["@web", "@unidentified", "*", "com.a"])
  func names(_ name: String) throws {
    #expect(try #require(Approvals.Opener(name)).description == name)
  }

  @Test("what is no opener is refused", arguments: ["", "@nobody", "a b", "**"])
  func noNames(_ name: String) { #expect(Approvals.Opener(name) == nil) }

  @Test("of too many the refusals are kept before the others") func most() throws {
    let all = try (0..<Approvals.most + 10).map { (try key("com.example.a\($0)"), $0 % 1_000 != 7) }
    let approvals = Approvals(Dictionary(uniqueKeysWithValues: all))
    #expect(approvals.entries.count == Approvals.most)
    #expect(approvals.entries.values.filter { !$0 }.count == all.filter { !$0.1 }.count)
  }

  @Test("no more can be added when there are as many as are kept, but each can be changed")
  func full() throws {
    let all = try (0..<Approvals.most).map { (try key("com.example.a\($0)"), true) }
    var approvals = Approvals(Dictionary(uniqueKeysWithValues: all))
    #expect(approvals.entries.count == Approvals.most)
    let new = try key("com.example.new")
    let isAdded = approvals.set(new, true)
    #expect(!isAdded && approvals[new] == nil)
    let isChanged = approvals.set(all[0].0, false)
    #expect(isChanged && approvals[all[0].0] == false)
  }
}

extension Approvals {
  /// Stores an answer for which there is room.
  mutating func remember(_ key: Key, _ isAllowed: Bool) {
    let isKept = set(key, isAllowed)
    #expect(isKept)
  }
}

private func forget(_ approvals: inout Approvals, _ body: (inout Approvals) -> Int) -> Int {
  body(&approvals)
}
