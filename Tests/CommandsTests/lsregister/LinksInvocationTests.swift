import Commands
import Foundation
import LaunchRules
import Testing

@testable import lsregister

@Suite struct LinksInvocationTests {
  static let wild = WebHost("wild.example.org")!

  @Test(
    "a domain may be written as the list prints it",
    arguments: [
      "wild.example.org", "*.wild.example.org", "applinks:*.wild.example.org?mode=developer",
    ]
  ) func domains(_ text: String) throws {
    #expect(
      try LinksInvocation(["links", "choose", "com.a", text, "browser"])?.action
        == .choose("com.a", Self.wild, .browser))
    #expect(try LinksInvocation(["links", "refresh", text])?.action == .refresh([Self.wild]))
  }

  @Test(
    "a host that is not ASCII is that of an open",
    arguments: [
      "m\u{fc}ller.example", "M\u{dc}LLER.example", "*.m\u{fc}ller.example",
      "applinks:*.mu\u{308}ller.example?mode=developer",
    ]
  ) func nonASCII(_ text: String) throws {
    let host = try #require(WebHost("xn--mller-kva.example"))
    #expect(
      try LinksInvocation(["links", "choose", "com.a", text, "browser"])?.action
        == .choose("com.a", host, .browser))
    #expect(
      try LinksInvocation(["links", "add", text, "file"])?.action == .add(host, file: "file"))
    #expect(
      try LinksInvocation(["links", "verify", "-d", text])?.action
        == .verify(host, file: nil, urls: []))
    #expect(
      try LinksInvocation(["links", "verify", "--site", text])?.action
        == .verifySites(.init(sites: [host])))
  }

  @Test(
    "what is no host is refused",
    arguments: ["https://a.b/", "\u{202e}a.example", "example", "*.", "webcredentials:a.b"])
  func noDomain(_ text: String) {
    #expect(
      throws: CommandFailure.usage(
        "'\(text)' is not a host; give its name alone, such as example.com")
    ) { try LinksInvocation(["links", "remove", text]) }
  }

  @Test(
    "what does not fit gets the usage of that very action",
    arguments: [
      (["choose", "com.a", "example.com"], "links choose ID DOMAIN CHOICE"),
      (["add", "example.com"], "links add DOMAIN FILE"),
      (
        ["verify"],
        "links verify -d DOMAIN [-j FILE] [-u URL]..., or: lsregister links verify --site DOMAIN"
          + " [-u URL]..., or: lsregister links verify --against FILE"
      ),
      (["list", "x"], "links list"),
    ]) func misfit(_ arguments: [String], _ usage: String)
  {
    #expect(
      throws: CommandFailure.usage(
        "these arguments are not valid; write: lsregister \(usage); see 'lsregister links --help'"
      )
    ) { try LinksInvocation(["links"] + arguments) }
  }

  @Test(
    "a report of a file that the daemon reads has no format",
    arguments: [
      (["-j", "x.json"], "-j FILE"), (["-d", "example.com", "-j", "x.json"], "-d DOMAIN"),
    ]
  ) func format(_ arguments: [String], _ named: String) {
    #expect(
      throws: CommandFailure.usage(
        "option '--format' does not go with \(named); it goes with --site DOMAIN and --against FILE; see 'lsregister"
          + " links --help'")
    ) { try LinksInvocation(["links", "verify", "--format", "github"] + arguments) }
  }

  @Test("an unknown choice is named") func unknownChoice() {
    #expect(
      throws: CommandFailure.usage(
        "'foo' is not a choice; the choices are application, browser, unspecified; write:"
          + " lsregister links"
          + " choose ID DOMAIN CHOICE; see 'lsregister links --help'")
    ) { try LinksInvocation(["links", "choose", "com.a", "example.com", "foo"]) }
  }

  @Test("an unknown action is named") func unknown() {
    #expect(
      throws: CommandFailure.usage(
        "'frob' is not an action of links; the actions are list, verify, dump, add, remove,"
          + " refresh, choose;"
          + " see 'lsregister links --help'")
    ) { try LinksInvocation(["links", "frob"]) }
  }
}

/// `links verify -j`, which needs no daemon.
@Suite final class LinksVerifyTests {
  private let file = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    .appendingPathComponent("links-\(UUID().uuidString).json")

  deinit { try? FileManager.default.removeItem(at: file) }

  private func verify(_ text: String, _ urls: String...) throws -> Ending {
    try Data(text.utf8).write(to: file)
    let screen = Screen()
    let command = RegisterCommand(
      service: ScriptedService().service, output: screen.output(of: "lsregister"),
      folder: file.deletingLastPathComponent().path, languages: .none)
    let code = command.run(
      ["links", "verify", "-d", "my.com", "-j", file.path] + urls.flatMap { ["-u", $0] })
    return Ending(
      code, screen.standardOutput, error: screen.standardError.replacing(file.path, with: "FILE"))
  }

  private static let good =
    #"{"applinks":{"details":[{"appIDs":["T.com.a"],"components":[{"/":"/x"}]}]}}"#

  @Test("--against: each problem of a property list has a line of its own")
  func severalProblems() throws {
    try Data(
      """
      <plist><dict><key>CFBundleIdentifier</key><string>a b</string><key>CFBundleURLTypes</key><array><dict>
      <key>CFBundleURLSchemes</key><array><string>x y</string></array></dict></array></dict></plist>
      """.utf8
    ).write(to: file)
    let screen = Screen()
    let command = RegisterCommand(
      service: ScriptedService().service, output: screen.output(of: "lsregister"),
      folder: file.deletingLastPathComponent().path, languages: .none)
    #expect(command.run(["links", "verify", "--against", file.path]) == .no)
    let lines = screen.standardError.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.hasPrefix("lsregister: \(file.path): CFBundle") })
    #expect(!screen.standardError.contains(#"\n"#))
  }

  @Test("U2, U4: a value that voids a dictionary is told, and a trailing comma")
  func remarks() throws {
    let ending = try verify(
      ##"{"applinks":{"details":[{"appIDs":["T.com.a"],"components":[{"/":"/x","?":{"q":1}},]}]}}"##,
      "/x?q=2")
    #expect(ending.code == .success)
    #expect(ending.standardOutput.contains("details[0].components[0] matches"))
    #expect(
      ending.standardError
        == "lsregister: FILE: warning: line 1 has a comma before the end of an object or an array; it was"
        + " ignored, but JSON does not allow it, and other readers refuse the file: remove it\n"
        + "lsregister: FILE: applinks.details[0].components[0].?.q: warning: is a number, but must be text;"
        + " the whole \"?\" was ignored, as if it were absent (R8.13)\n")
  }

  @Test("a file that names no application says so", arguments: [[], ["/x"]])
  func empty(_ urls: [String]) throws {
    let ending =
      try urls.isEmpty
      ? verify(#"{"applinks":{"details":[]}}"#) : verify(#"{"applinks":{"details":[]}}"#, urls[0])
    #expect(
      ending
        == Ending(
          .no,
          error: "lsregister: the file of my.com names no application; list one in applinks.details"
            + " (R8.7)\n"))
  }

  @Test(
    "every URL is looked at before one is tried",
    arguments: [
      ("https://other.com/x", "is not a URL of my.com"),
      ("ftp://my.com/x", "is not an http or https URL"),
      (
        "https://my.com:8443/x",
        "names the port 8443, and the file counts for port 443 of https only"
      ),
    ]) func urls(_ url: String, _ problem: String) throws
  {
    let ending = try verify(Self.good, "/x", url)
    #expect(ending.standardOutput == "")
    #expect(ending.standardError.hasPrefix("lsregister: '\(url)' \(problem)"))
    #expect(ending.code == .usage)
  }

  @Test("an unknown key is reported, and the URL is tried") func unknownKey() throws {
    let ending = try verify(
      Self.good.replacing(#""/":"/x""#, with: #""/":"/x","exlude":true"#), "/x")
    #expect(ending.code == .success)
    #expect(ending.standardError.contains(#"has the unknown key "exlude""#))
  }
}
