import AssociationFiles
import LaunchRules
import Testing

/// What `swcutil` of macOS 27 was recorded to do.
@Suite("Association files match as the record of swcutil says") struct RecordedMatchingTests {
  @Test(
    "U1: slashes at the ends do not count",
    arguments: [
      ("/buy/*", "/buy"), ("/buy/*", "/buy/"), ("/buy/*", "/buy/x"), ("/buy", "/buy/"),
      ("/buy/", "/buy"), ("/buy/", "/buy//"), ("/buy//", "/buy"), ("//abc", "/abc"),
      ("/abc", "//abc"), ("abc/*", "/abc"), ("abc", "/abc/"), ("/", ""), ("/", "//"), ("", "/"),
      ("/*", ""), ("*", "/a/"), ("/a/*/", "/a"), ("*/a", "/x/a/"), ("/a//b", "/a//b/"),
      ("/a//*", "/a"), ("/a//*", "/a/"), ("/a///*", "/a"),
    ])
  func slashes(_ pattern: String, _ path: String) throws {
    #expect(try Site(components: #"[{"/":"\#(pattern)"}]"#).verdict(path) == .matched)
    let paths = #"{"details":[{"appID":"TEAM.com.example.app","paths":["\#(pattern)"]}]}"#
    #expect(try Site(paths).verdict(path) == .matched)
  }

  @Test(
    "U1: slashes between other characters count",
    arguments: [
      ("/a/*/c", "/a/c"), ("/a/?*", "/a/"), ("/a/?*", "/a"), ("/id/????", "/id/481"),
      ("/a//b", "/a/b"), ("/buy/*", "/buyer"), ("/buy/*", "/bu"), ("/buy*/", "/bu"), ("/a", "/"),
      ("/", "/a"),
    ])
  func otherSlashes(_ pattern: String, _ path: String) throws {
    #expect(try Site(components: #"[{"/":"\#(pattern)"}]"#).verdict(path) == .notMatched)
  }

  @Test(
    "R8.10: two asterisks are as one: /** matches every path", arguments: ["", "/", "/a", "/a/b/"])
  func twoAsterisks(_ path: String) throws {
    #expect(try Site(components: #"[{"/":"/**"}]"#).verdict(path) == .matched)
  }

  @Test(
    "R8.12, U1: a pattern that ends in /** ends in /*, and matches without it",
    arguments: ["/buy", "/buy/", "/buy/x", "/buy/x/y"])
  func asterisksAtTheEnd(_ path: String) throws {
    #expect(try Site(components: #"[{"/":"/buy/**"}]"#).verdict(path) == .matched)
    let paths = #"{"details":[{"appID":"TEAM.com.example.app","paths":["/buy/**"]}]}"#
    #expect(try Site(paths).verdict(path) == .matched)
    #expect(try Site(components: #"[{"/":"/buy/**"}]"#).verdict("/buyer") == .notMatched)
  }

  @Test("U1: an exclusion cannot be got round with a slash") func exclusion() throws {
    let site = try Site(components: #"[{"/":"/private","exclude":true},{"/":"*"}]"#)
    #expect(try site.verdict("/private/") == .blocked)
    #expect(try site.verdict("//private") == .blocked)
  }

  @Test(
    "U2: a value in \"?\" that is no string voids the whole dictionary",
    arguments: ["1", "true", "null", "[]", #"{"a":"b"}"#])
  func voidQuery(_ value: String) throws {
    let site = try Site(components: #"[{"/":"/a","?":{"b":"c","d":\#(value)}}]"#)
    #expect(try site.verdict("/a") == .matched)
    #expect(try site.verdict("/b") == .notMatched)
    let text =
      #"{"applinks":{"details":[{"appIDs":["T.a"],"components":[{"?":{"d":\#(value)}}]}]}}"#
    let diagnostics = AssociationFileReading(Array(text.utf8), at: "aasa").diagnostics
    #expect(
      diagnostics.map { "\($0.keyPath): \($0.consequence)" } == [
        "applinks.details[0].components[0].?.d: the whole \"?\" was ignored, as if it were absent"
          + " (R8.13)"
      ])
  }

  /// - Parameters:
  ///   - domain: the defaults of the domain.
  ///   - entry: the defaults of the entry.
  private func site(_ domain: String, _ entry: String, _ components: String) throws -> Site {
    try Site(
      #"{"defaults":{\#(domain)},"details":[{"appIDs":["TEAM.com.example.app"],"#
        + #""defaults":{\#(entry)},"components":[\#(components)]}]}"#)
  }

  @Test("U3: defaults may hold a path, a query, a fragment and exclude") func defaults() throws {
    let (foo, bar) = (##""/":"/foo/*""##, ##""/":"/bar/*""##)
    for one in [try site(foo, "", ##"{"#":"*"}"##), try site(bar, foo, ##"{"#":"*"}"##)] {
      #expect(try one.verdict("/foo/1") == .matched)
      #expect(try one.verdict("/bar") == .notMatched)
    }
    #expect(try site(foo, bar, #"{"/":"/own"}"#).verdict("/own") == .matched)
    #expect(try site("", ##""#":"x""##, "{}").verdict("/a#y") == .notMatched)
    #expect(try site(#""?":{"q":"1"}"#, "", "{}").verdict("/a?q=2") == .notMatched)
    #expect(try site(#""?":{"q":"1"}"#, "", #"{"?":{"q":7}}"#).verdict("/a?q=2") == .notMatched)
    #expect(try site(#""exclude":true"#, "", "{}").verdict("/a") == .blocked)
    #expect(try site(#""exclude":true"#, "", #"{"exclude":false}"#).verdict("/a") == .matched)
    #expect(try site(#""exclude":true"#, #""exclude":false"#, "{}").verdict("/a") == .matched)
  }

  @Test("U3: what is odd in defaults keeps links out, and is reported once") func oddDefaults()
    throws
  {
    let site = try site(#""/":7,"more":1"#, "", #"{"?":"a"},{"?":"b"},{"/":"/own"}"#)
    #expect(try site.verdict("/x?a") == .notMatched)
    #expect(try site.verdict("/own") == .matched)
    let text =
      #"{"applinks":{"defaults":{"/":7},"details":[{"appIDs":["T.a"],"components":[{},{}]}]}}"#
    #expect(
      AssociationFileReading(Array(text.utf8), at: "aasa").diagnostics.map {
        "\($0.keyPath): \($0.problem); \($0.consequence)"
      } == [
        "applinks.defaults./: is a number, but must be text; the whole component was ignored"
      ])
  }

  @Test(
    "U4: a trailing comma is remarked",
    arguments: [
      ("{\"applinks\":{\"details\":[]\n,\n}}", 2), ("{\"applinks\":{\"details\":[],}}", 1),
      (#"{"applinks":{"details":[], ] }"#, nil),
      (#"{"applinks":{"details":[]},"a":",]\",}"}"#, nil),
      (#"{"applinks":{"details":[]},"a":[1,2]}"#, nil),
    ] as [(String, Int?)])
  func trailingComma(_ text: String, _ line: Int?) {
    let problems = AssociationFileReading(Array(text.utf8), at: "aasa").diagnostics.map(\.problem)
    let remark = problems.filter { $0.hasSuffix("before the end of an object or an array") }
    #expect(
      remark
        == (line.map { ["line \($0) has a comma before the end of an object or an array"] } ?? []))
  }
}
