import LaunchRules
import Testing

@Suite struct `A URL scheme` {
  @Test(
    "R2.1 accepts what the grammar accepts",
    arguments: [
      "a", "myapp", "com.example.app", "wxd3a1541d4423bf8f", "weibosdk2.5", "z+y-1.2",
      "x-apple.systempreferences",
    ])
  func accepts(_ text: String) {
    #expect(URLScheme(text)?.text == text)
  }

  @Test("R2.1 refuses the rest", arguments: ["1app", "my_app", "my app", "", "微信", "a:", "a://"])
  func refuses(_ text: String) {
    #expect(URLScheme(text) == nil)
  }

  @Test("R2.2 is compared without regard to case") func ignoresCase() {
    #expect(URLScheme("MyApp") == URLScheme("myAPP"))
  }
}

@Suite struct `A bundle identifier` {
  @Test("R1.9 is compared without regard to case and keeps its spelling") func ignoresCase() {
    #expect(BundleIdentifier("com.Example.App") == BundleIdentifier("com.example.app"))
    #expect(BundleIdentifier("com.Example.App")?.text == "com.Example.App")
  }

  @Test(
    "R1.9 contains letters, digits, - and . only",
    arguments: ["", "a b", "a_b", "a/b", "é", "$(X)"])
  func refuses(_ text: String) {
    #expect(BundleIdentifier(text) == nil)
  }
}

@Suite struct `A bundle version` {
  @Test(
    "R1.15 is compared number by number", arguments: [("1.2", "1.10"), ("9", "10"), ("1", "1.0.1")])
  func comparesNumbers(_ older: String, _ newer: String) {
    #expect(BundleVersion(older) < BundleVersion(newer))
  }

  @Test("R1.15 ignores missing parts, extra parts, leading zeros and suffixes")
  func ignores() {
    #expect(BundleVersion("1") == BundleVersion("1.0.0"))
    #expect(BundleVersion("1.2.3.4") == BundleVersion("1.2.3"))
    #expect(BundleVersion("01.002") == BundleVersion("1.2"))
    #expect(BundleVersion("1.2b3") == BundleVersion("1.2"))
  }
}
