import Commands
import DBus
import Foundation
import Testing

@testable import lsopen

/// Mistakes that people make with `lsopen`: the message names the next step.
@Suite struct OpenAdviceTests {
  private static func receipt(_ launch: String) -> Result<[Value], ServiceFailure> {
    .success([
      .options([
        "handler": .string("com.a"), "launch": .string(launch), "delivery": .string("delivered"),
        "handled": .boolean(true), "pid": .uint32(42),
      ])
    ])
  }

  private static let notFound = ServiceFailure.refused(
    BusError(
      "org.launchservices.Error.ApplicationNotFound",
      "no application Note is registered (OSStatus error -10814)"))

  @Test("a site without a scheme is no file, and the URL of the site is named")
  func site() {
    for site in ["www.example.com", "example.org/a/b?c", "www.example.info", "WWW.Example.info"] {
      #expect(
        runOpen([site])
          == Ending(
            .noSuchFile,
            error: "lsopen: The file /usr/\(site) does not exist. To open the site, write"
              + " https://\(site)\n"))
    }
    for file in ["notes.txt", "a/b.com", ".com"] {
      #expect(
        runOpen([file])
          == Ending(.noSuchFile, error: "lsopen: The file /usr/\(file) does not exist.\n"))
    }
  }

  @Test("--as with the name of no application says so")
  func unknownOpener() {
    func ending(_ found: [Options]) -> Ending {
      runOpen(
        ["--as", "nosuch", "x:1"],
        ScriptedService(Self.receipt("cold"), .success([.optionsList(found)])))
    }
    #expect(
      ending([])
        == Ending(
          .success,
          error:
            "lsopen: no application nosuch is registered, so --as had no effect; 'lsregister list'"
            + " shows the identifiers of applications\n"))
    #expect(ending([["bundle-identifier": .string("nosuch")]]) == Ending(.success))
  }

  @Test("--as with the name of an application says its identifier")
  func nameOfOpener() {
    let ending = runOpen(
      ["--as", "Chat", "x:1"],
      ScriptedService(
        Self.receipt("cold"), .success([.optionsList([])]),
        .success([.optionsList([["bundle-identifier": .string("chat.desktop")]])])))
    #expect(
      ending.standardError
        == "lsopen: no application Chat is registered, so --as had no effect; the application called 'Chat' is"
        + " chat.desktop\n")
  }

  @Test("a site with a port and without a scheme is no scheme, and the URL of the site is named")
  func siteWithPort() {
    for (site, isSite) in [
      ("localhost:8080", true), ("www.example.com:80/x", true), ("LOCALHOST:1?a", true),
      ("note:8080", false), ("localhost:x", false), ("www.example.com:99999", false),
    ] {
      let scheme = site.prefix { $0 != ":" }
      let none = "no application is registered for the scheme \(scheme)"
      let script = ScriptedService(
        .failure(.refused(BusError("org.launchservices.Error.ApplicationNotFound", none))))
      #expect(
        runOpen([site], script)
          == Ending(
            .failed,
            error: "lsopen: \(none)" + (isSite ? "; to open the site, write https://\(site)" : "")
              + "\n"))
    }
  }

  @Test("a scheme without its colon is no file, and the colon is named")
  func schemeWithoutColon() {
    #expect(
      runOpen(["mnote"])
        == Ending(
          .noSuchFile,
          error:
            "lsopen: The file /usr/mnote does not exist. To open a URL, write a colon after its"
            + " scheme: mnote:\n"))
  }

  @Test("-u takes a URL or the path of a file from the root, and says so")
  func noURL() {
    #expect(
      runOpen(["-u", "abc"])
        == Ending(
          .failed,
          error:
            "lsopen: 'abc' is no URL: a URL begins with a scheme and a colon, like myapp:, and the"
            + " path of a file with /\n"))
  }

  @Test("about a scheme is asked with a colon", arguments: ["--can-open", "--explain"])
  func scheme(option: String) {
    #expect(
      runOpen([option, "mnote"])
        == Ending(
          .noSuchFile,
          error: "lsopen: The file /usr/mnote does not exist. To ask about a scheme, write a colon"
            + " after the scheme: mnote:\n"))
  }

  @Test(
    "a question about a site names its URL, and no scheme", arguments: ["--can-open", "--explain"])
  func siteInQuestion(option: String) {
    #expect(
      runOpen([option, "www.example.com"])
        == Ending(
          .noSuchFile,
          error: "lsopen: The file /usr/www.example.com does not exist. To open the site, write"
            + " https://www.example.com\n"))
  }

  @Test("-b with the name of an application names its identifier")
  func nameForIdentifier() {
    let found: Result<[Value], ServiceFailure> = .success([
      .optionsList([["bundle-identifier": .string("com.example.note")]])
    ])
    #expect(
      runOpen(["-b", "Note", "x:1"], ScriptedService(.failure(Self.notFound), found))
        == Ending(
          .failed,
          error: "lsopen: no application Note is registered (OSStatus error -10814); the "
            + "application called 'Note' is com.example.note: write -a Note\n"))
    #expect(
      runOpen(
        ["-b", "Note"], ScriptedService(.failure(Self.notFound), .success([.optionsList([])])))
        == Ending(
          .failed,
          error: "lsopen: no application Note is registered (OSStatus error -10814); -b takes a "
            + "bundle identifier: 'lsregister list' shows them\n"))
  }

  @Test(
    "-b with a name that is no identifier names the identifier, whatever is to be done",
    arguments: [["x:1"], [], ["--can-open", "x:1"], ["--explain", "x:1"], ["--history"], ["-R"]])
  func nameThatIsNoIdentifier(_ rest: [String]) {
    let found: Result<[Value], ServiceFailure> = .success([
      .optionsList([["bundle-identifier": .string("com.example.note")]])
    ])
    #expect(
      runOpen(rest + ["-b", "My Notes"], ScriptedService(found))
        == Ending(
          .failed,
          error: "lsopen: 'My Notes' is not a bundle identifier; the application called 'My Notes' "
            + "is com.example.note: write -a My\\ Notes\n"))
    #expect(
      runOpen(rest + ["-b", "My Notes"], ScriptedService(.success([.optionsList([])])))
        == Ending(
          .failed,
          error: "lsopen: 'My Notes' is not a bundle identifier; -b takes a bundle identifier: "
            + "'lsregister list' shows them\n"))
  }

  @Test("--args has taken the URL behind it, and says so")
  func rest() {
    #expect(
      runOpen(["--args", "foo", "mnote:1"])
        == Ending(
          .usage,
          error: "lsopen: there is no URL or path to open; option '--args' takes all that "
            + "follows, so write URLs before it; try 'lsopen --help'\n"))
  }

  @Test("--env and --args without effect on an application that runs say so")
  func withoutEffect() {
    #expect(
      runOpen(["--env", "A=1", "x:1"], ScriptedService(Self.receipt("warm")))
        == Ending(
          .success, error: "lsopen: com.a was running already, so --env had no effect\n"))
    #expect(
      runOpen(["--env", "A=1", "x:1", "--args", "b"], ScriptedService(Self.receipt("warm")))
        == Ending(
          .success,
          error: "lsopen: com.a was running already, so --env and --args had no effect\n"))
    #expect(
      runOpen(["--env", "A=1", "x:1", "--args", "b"], ScriptedService(Self.receipt("cold")))
        == Ending(.success))
  }

  @Test("--hide and --fresh without effect on an application that runs say so")
  func notHidden() {
    #expect(
      runOpen(["-j", "-F", "x:1"], ScriptedService(Self.receipt("warm")))
        == Ending(
          .success,
          error: "lsopen: com.a was running already, so --hide and --fresh had no effect\n"))
    #expect(
      runOpen(["-j", "-F", "x:1"], ScriptedService(Self.receipt("cold"))) == Ending(.success))
  }

  @Test(
    "E1: a host that is not ASCII, and cannot be converted, is refused, with the form that a URL may have"
  )
  func hostBeyondASCII() {
    for (url, host) in [
      ("http://-ü.example/ü", "-ü.example"), ("HTTPS://a@中 b.example:8/", "中 b.example"),
      // Not in IDNA 2008, though URL(string:) converts it.
      ("http://💩.example/", "💩.example"),
    ] {
      for option in [[], ["--can-open"], ["--explain"]] {
        #expect(
          runOpen(option + [url])
            == Ending(
              .failed,
              error: "lsopen: the host \(host) is not ASCII; write its Punycode form, which begins"
                + " with xn--\n"))
      }
    }
  }

  @Test("a bundle that lsopen registers as a second copy is named")
  func secondCopy() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    let bundle = folder + "/Photos.app"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for arguments in [["Photos.app"], ["-a", "./Photos.app"]] {
      let script = ScriptedService(
        .success([.optionsList([])]), .success([.string("com.a")]),
        .success([
          .optionsList([
            ["path": .string("/B.app/Info.plist")], ["path": .string(bundle + "/Info.plist")],
          ])
        ]), Self.receipt("cold"))
      #expect(
        runOpen(arguments, script, in: folder)
          == Ending(
            .success,
            error: """
              lsopen: registered \(bundle) as com.a
              lsopen: 2 bundles have the identifier com.a: /B.app/Info.plist is used, and not \
              \(bundle)/Info.plist; remove all but one of them, or change their identifiers

              """))
    }
  }

  @Test("E1: what may not stand in a URL is percent-encoded, and --verbatim leaves it alone")
  func encodes() {
    let written = #"myphotoapp:albumname?name="albumname""#
    let script = ScriptedService(Self.receipt("warm"), Self.receipt("warm"), Self.receipt("warm"))
    #expect(runOpen([written, "iapp://app?region=中国"], script) == Ending(.success))
    #expect(runOpen(["--verbatim", written], script) == Ending(.success))
    #expect(
      script.calls.map(\.arguments.first) == [
        .string("myphotoapp:albumname?name=%22albumname%22"),
        .string("iapp://app?region=%E4%B8%AD%E5%9B%BD"), .string(written),
      ])
    let questions = ScriptedService(
      .success([.boolean(true)]), .success([.options([:])]), .success([.boolean(true)]))
    _ = runOpen(["--can-open", written], questions)
    _ = runOpen(["--explain", written], questions)
    _ = runOpen(["--can-open", "--verbatim", written], questions)
    #expect(
      questions.calls.map(\.arguments.first) == [
        .string("myphotoapp:albumname?name=%22albumname%22"),
        .string("myphotoapp:albumname?name=%22albumname%22"), .string(written),
      ])
  }
}
