import BusContract
import LaunchServicesTesting
import SeededRandom
import Testing

@Suite("Explain", .timeLimit(.minutes(30)))
struct ExplainTests {
  typealias Step = Explanation.Step

  @Test("The whole path of a decision, and nothing is launched")
  func cold() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: ["photos"])

      let explanation = try await world.client.explain("PHOTOS:1", as: "com.example.caller")
      let unit =
        Testbed.usesUserManager
        ? ", as unit app-launchservices-com.example.photos@RANDOM.service" : ""

      #expect(
        explanation.steps == [
          Step("url", "the scheme is photos"),
          Step("caller", "com.example.caller, assumed with option 'as'"),
          Step("allowlist", "LSApplicationQueriesSchemes lists 1 scheme"),
          Step("candidate", "com.example.photos: the only claim"),
          Step("canOpen", "yes: the caller may ask, and an application handles the scheme"),
          Step("handler", "com.example.photos, from \(world.propertyList(of: photos))"),
          Step(
            "confirmation",
            "the user is not asked (row custom-application of the setting Confirmations)"),
          Step("state", "not running"),
          Step("launch", "starts \(photos.path)/program\(unit)"),
          Step("open", "delivers the URL to the application (application delegate), at launch"),
          Step("sourceApplication", "nil: the opener is not known to belong to the same team"),
        ])
      #expect(explanation.canOpen && explanation.wouldOpen)
      #expect(explanation.handler == "com.example.photos")
      #expect(explanation.caller == "com.example.caller")
      #expect(photos.pids == [])
    }
  }

  @Test("R3.3 lsopen --can-open says why the answer is no, for the caller that was named")
  func reasonOfNo() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller")
      for (arguments, reason) in [
        (["photos:1"], "the caller may not ask; the caller is not a registered application;"),
        (
          ["--as", "com.example.caller", "photos:1"],
          "the caller may not ask; com.example.caller does not list the scheme; add it to"
            + " LSApplicationQueriesSchemes"
        ),
        (
          ["--verbatim", "photos:<1>"], "the URL contains characters that must be percent-encoded"
        ),
      ] {
        let lsopen = try world.startProcess("lsopen", ["--can-open"] + arguments)
        #expect(try await lsopen.hasEnded() == "exited with code 1")
        #expect(lsopen.lines.contains("no"))
        try await lsopen.line(containing: "lsopen: \(reason)")
      }
    }
  }

  @Test("lsopen --can-open --json tells not listed from nobody handles it")
  func codeOfNo() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: ["nobody"])
      for (arguments, code) in [
        (["photos:1"], "unidentified"),
        (["--as", "com.example.caller", "photos:1"], "not-listed"),
        (["--as", "com.example.caller", "nobody:1"], "no-application"),
        (["--verbatim", "photos:<1>"], "invalid-url"),
      ] {
        let lsopen = try world.startProcess("lsopen", ["--can-open", "--json"] + arguments)
        #expect(try await lsopen.hasEnded() == "exited with code 1")
        try await lsopen.line(containing: #""code":"\#(code)""#)
      }
    }
  }

  @Test("A running scene application")
  func warm() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"], .scene())
      _ = try await world.client.open("photos:1")
      let explanation = try await world.client.explain("photos:2")
      #expect(explanation.sentence(of: "state") == "active")
      #expect(
        explanation.sentence(of: "open")
          == "delivers the URL to a scene of the application (scene delegate), unless it checks in"
          + " without scenes, while it runs")
      #expect(explanation.sentence(of: "launch") == nil)
      #expect(explanation.canOpen == false)
    }
  }

  @Test("A scheme that nobody claims")
  func nobody() async throws {
    try await Testbed.run { world in
      let explanation = try await world.client.explain("zz:")
      #expect(
        explanation.sentence(of: "open")
          == "fails: no application is registered for the scheme zz (OSStatus error -10814)")
      #expect(explanation.wouldOpen == false)
      #expect(explanation.handler == "")
    }
  }

  @Test(
    "What is explained is what happens, for random applications, callers and options",
    arguments: 0..<20 as Range<UInt64>)
  func agrees(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let names = ["a", "b", "c", "d"].map { "com.example.\($0)" }
    let schemes = ["x", "y", "z", "tel"]
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings(
        "<key>CollisionPolicy</key><string>\(["last-installed", "ambiguous-is-error"].randomElement(using: &random) ?? "")</string>"
      )
      try await world.startDaemon()
      for name in names.dropLast() {
        try await world.install(
          name, schemes: schemes.filter { _ in Bool.random(using: &random) },
          queries: schemes.filter { _ in Bool.random(using: &random) })
      }
      for number in 0..<100 {
        var options = OpenOptions()
        options.actAs = Bool.random(using: &random) ? names.randomElement(using: &random) : nil
        options.application =
          Bool.random(using: &random) ? names.randomElement(using: &random) : nil
        options.universalLinksOnly = Int.random(in: 0..<8, using: &random) == 0
        options.interactive = false
        let url = "\(schemes.randomElement(using: &random) ?? "x"):\(number)"
        let what = Comment("seed \(seed), \(url), \(options)")

        let explanation = try await world.client.explain(
          url,
          QueryOptions(
            actAs: options.actAs, application: options.application,
            universalLinksOnly: options.universalLinksOnly))
        do throws(Refusal) {
          let receipt = try await world.client.open(url, options)
          #expect(explanation.wouldOpen, what)
          #expect(explanation.handler == receipt.handler, what)
        } catch {
          let asks = explanation.sentence(of: "confirmation")?.contains("is asked") == true
          if error.name.hasSuffix(".ConfirmationUnavailable") {
            #expect(asks && explanation.wouldOpen, what)
          } else {
            #expect(!explanation.wouldOpen, what)
            #expect(explanation.sentence(of: "open") == "fails: \(error.text)", what)
          }
        }
      }
    }
  }
}
