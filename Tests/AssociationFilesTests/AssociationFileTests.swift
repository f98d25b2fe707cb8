import AssociationFiles
import LaunchRules
import Testing

/// Reads the contents of `details` and the like, and asks about URLs of `my.com`.
struct Site {
  let file: AssociationFile
  static let application = LinkedApplication("TEAM.com.example.app")

  init(_ applinks: String) throws {
    let reading = AssociationFileReading(Array(#"{"applinks":\#(applinks)}"#.utf8), at: "aasa")
    #expect(reading.diagnostics.filter { $0.severity == .error } == [])
    file = try #require(reading.file)
  }

  init(components: String, more: String = "") throws {
    try self.init(
      #"{"details":[{"appIDs":["TEAM.com.example.app"],"components":\#(components)}]\#(more)}"#)
  }

  func match(_ rest: String) throws -> LinkMatch {
    file.match(
      try #require(LinkURL("https://my.com" + rest)), for: try #require(Self.application))
  }

  func verdict(_ rest: String) throws -> LinkMatch.Verdict { try match(rest).verdict }
}

@Suite("Association files match") struct MatchingTests {
  static let c =
    ##"[{"#":"no_universal_links","exclude":true}, {"/":"/buy/*"}, "##
    + ##"{"/":"/help/website/*","exclude":true}, {"/":"/help/*","?":{"articleNumber":"????"}}]"##

  static let vectors: [(String, String, LinkMatch.Verdict)] = [
    ("T8.1", "/buy/x", .matched),
    ("T8.2", "/buy/x#no_universal_links", .blocked),
    ("T8.3", "/help/website/a?articleNumber=1234", .blocked),
    ("T8.4", "/help/a?articleNumber=1234", .matched),
    ("T8.5", "/help/a?articleNumber=123", .notMatched),
    ("T8.6", "/help/a", .notMatched),
    ("T8.7", "/help/a?articleNumber=1234&articleNumber=12", .notMatched),
    ("T8.8", "/BUY/x", .notMatched),
  ]

  @Test("T8.1 T8.2 T8.3 T8.4 T8.5 T8.6 T8.7 T8.8", arguments: vectors)
  func vector(_ name: String, _ url: String, _ verdict: LinkMatch.Verdict) throws {
    #expect(try Site(components: Self.c).verdict(url) == verdict, "\(name)")
  }

  @Test("T8.9 R8.10 R8.17 all parts that are written, and a path without its slash")
  func allParts() throws {
    let site = try Site(components: #"[{"/":"abc","?":"def"}]"#)
    #expect(try site.verdict("/abc?def") == .matched)
    #expect(try site.verdict("/abc") == .notMatched)
    #expect(try site.verdict("?def") == .notMatched)
  }

  @Test("T8.10 R8.15 variables of the file and those of every file")
  func variables() throws {
    let site = try Site(
      components: #"[{"/":"/$(lang)_$(region)/$(food)/"}]"#,
      more: #","substitutionVariables":{"food":["burrito","pizza","sushi","samosa"]}"#)
    #expect(try site.verdict("/en_US/pizza/") == .matched)
    #expect(try site.verdict("/en_US/soup/") == .notMatched)
    #expect(try site.verdict("/en_QQ/pizza/") == .notMatched)
    #expect(try site.verdict("/en_US/PIZZA/") == .notMatched)
    #expect(try site.verdict("/en_us/pizza/") == .notMatched)
  }

  @Test("R8.15 each predefined variable is one character, or a code")
  func predefined() throws {
    let cases = [
      ("alpha", "aZ", "1-"), ("upper", "A", "a1"), ("lower", "a", "A1"), ("alnum", "a1", "-"),
      ("digit", "7", "a"), ("xdigit", "fF9", "g"),
    ]
    for (name, good, bad) in cases {
      let site = try Site(components: #"[{"/":"/$(\#(name))"}]"#)
      for character in good { #expect(try site.verdict("/\(character)") == .matched, "\(name)") }
      for character in bad { #expect(try site.verdict("/\(character)") == .notMatched, "\(name)") }
      #expect(try site.verdict("/\(good.first!)\(good.first!)") == .notMatched, "\(name)")
    }
  }

  @Test("R8.15 predefined variables follow the case of the component") func predefinedCase() throws
  {
    for (name, lower, upper) in [("lower", "a", "A"), ("upper", "a", "A"), ("lang", "de", "DE")] {
      let loose = try Site(components: #"[{"/":"/$(\#(name))","caseSensitive":false}]"#)
      #expect(try loose.verdict("/" + lower) == .matched, "\(name)")
      #expect(try loose.verdict("/" + upper) == .matched, "\(name)")
      #expect(try loose.verdict("/1") == .notMatched, "\(name)")
      let strict = try Site(components: #"[{"/":"/$(\#(name))"}]"#)
      let isUpper = name == "upper"
      #expect(try strict.verdict("/" + lower) == (isUpper ? .notMatched : .matched), "\(name)")
      #expect(try strict.verdict("/" + upper) == (isUpper ? .matched : .notMatched), "\(name)")
    }
  }

  @Test("R8.15 values hold wildcards but no variables, and names are told apart by case")
  func values() throws {
    let site = try Site(
      components: #"[{"/":"/$(a b)/$(A)"}]"#,
      more: ##","substitutionVariables":{"a b":["x?z","*-end","$(digit)"],"A":["one"]}"##)
    #expect(try site.verdict("/x%20z/one") == .notMatched)
    #expect(try site.verdict("/xyz/one") == .matched)
    #expect(try site.verdict("/far-end/one") == .matched)
    #expect(try site.verdict("/5/one") == .notMatched)
    #expect(try site.verdict("/xyz/ONE") == .notMatched)
  }

  @Test("T8.11 R8.16 paths: NOT, the first match, nothing but the path, and in their case")
  func paths() throws {
    let site = try Site(
      #"{"apps":[],"defaults":{"caseSensitive":false},"details":[{"appID":"TEAM.com.example.app","#
        + #""paths":["/wwdc/news/","NOT /videos/wwdc/2010/*","/videos/wwdc/201?/*"]}]}"#)
    #expect(try site.verdict("/videos/wwdc/2010/a") == .blocked)
    #expect(try site.verdict("/videos/wwdc/2015/a") == .matched)
    #expect(try site.verdict("/wwdc/news/?a=b#c") == .matched)
    #expect(try site.verdict("/wwdc/NEWS/") == .notMatched)
    #expect(
      try site.match("/videos/wwdc/2010/a").reason
        == "details[0].paths[1] matches, and excludes it")
    let whole = try Site(#"{"details":[{"appID":"TEAM.com.example.app","paths":["*"]}]}"#)
    #expect(try whole.verdict("") == .matched)
  }

  @Test("R8.9 R8.12 absent parts match anything; wildcards; both ends are fixed")
  func wildcards() throws {
    #expect(try Site(components: "[{}]").verdict("/a?b#c") == .matched)
    #expect(try Site(components: #"[{"/":"/a?*"}]"#).verdict("/a") == .notMatched)
    #expect(try Site(components: #"[{"/":"/a?*"}]"#).verdict("/abc") == .matched)
    #expect(try Site(components: #"[{"/":"/a*c"}]"#).verdict("/abcc") == .matched)
    #expect(try Site(components: #"[{"/":"/b"}]"#).verdict("/a/b") == .notMatched)
    #expect(try Site(components: ##"[{"#":"x*"}]"##).verdict("/a") == .notMatched)
  }

  @Test("R8.9 component before application before domain")
  func precedence() throws {
    func site(_ domain: String, _ application: String, _ component: String) throws -> Site {
      try Site(
        #"{"defaults":{\#(domain)},"details":[{"appIDs":["TEAM.com.example.app"],"#
          + #""defaults":{\#(application)},"components":[{"/":"/buy"\#(component)}]}]}"#)
    }
    let (yes, no) = (#""caseSensitive":true"#, #""caseSensitive":false"#)
    #expect(try site(no, "", "").verdict("/BUY") == .matched)
    #expect(try site(no, yes, "").verdict("/BUY") == .notMatched)
    #expect(try site(no, yes, "," + no).verdict("/BUY") == .matched)
    #expect(try site("", "", "").verdict("/BUY") == .notMatched)
  }

  @Test("R8.14 as it is written, or decoded")
  func percentEncoding() throws {
    let written = try Site(components: #"[{"/":"/caf%C3%A9/*"}]"#)
    #expect(try written.verdict("/caf%C3%A9/1") == .matched)
    let decoded = try Site(components: #"[{"/":"/café/*","percentEncoded":false}]"#)
    #expect(try decoded.verdict("/caf%C3%A9/1") == .matched)
    #expect(try Site(components: #"[{"/":"/café/*"}]"#).verdict("/caf%C3%A9/1") == .notMatched)
    let item = #"[{"?":{"naïve":"ä?"},"percentEncoded":false}]"#
    #expect(try Site(components: item).verdict("/?na%C3%AFve=%C3%A4%C3%B6") == .matched)
    // What is no text stays as it is written.
    #expect(try decoded.verdict("/caf%E9/1") == .notMatched)
  }

  @Test("R8.13 query items: absent is empty, others are ignored")
  func items() throws {
    let any = try Site(components: #"[{"?":{"a":"*"}}]"#)
    #expect(try any.verdict("/") == .matched)
    #expect(try any.verdict("/?b=1") == .matched)
    let some = try Site(components: #"[{"?":{"a":"?*"}}]"#)
    #expect(try some.verdict("/") == .notMatched)
    #expect(try some.verdict("/?a") == .notMatched)
    #expect(try some.verdict("/?a=1&a=2&b") == .matched)
    #expect(
      try some.match("/?a").reason
        == "no component matches; details[0].components[0] is the last, where the query item a does"
        + " not match ?*")
  }

  @Test("R8.11 R8.8 details in order, components before paths")
  func order() throws {
    let site = try Site(
      #"{"details":[{"appID":"TEAM.com.example.other","paths":["*"]},"#
        + #"{"appID":"TEAM.com.example.app","paths":["/old/*"],"components":[{"/":"/new/*"}]},"#
        + #"{"appIDs":["TEAM.com.example.app"],"components":[{"/":"/old/x","exclude":true}]}]}"#)
    #expect(try site.verdict("/old/x") == .blocked)
    #expect(try site.verdict("/old/y") == .notMatched)
    let match = try site.match("/new/1")
    #expect(match.place?.keyPath == "details[1].components[0]")
    let other = try #require(LinkedApplication("OTHER.com.example.app"))
    #expect(
      site.file.match(try #require(LinkURL("https://my.com/new/1")), for: other).verdict
        == .notListed)
  }

  @Test("R8.18 only web URLs, on the usual port")
  func urls() {
    #expect(LinkURL("http://my.com/") != nil)
    #expect(LinkURL("https://my.com:443/") != nil)
    #expect(LinkURL("https://my.com:8443/") == nil)
    #expect(LinkURL("https://my.com:18446744073709551616/") == nil)
    #expect(LinkURL("https://my.com:/") != nil)
    #expect {
      try LinkURL(reading: "https://my.com:8443/")
    } throws: {
      ($0 as? LinkURL.Wrong)?.problem
        == "names the port 8443, and the file counts for port 443 of https only"
    }
    #expect(LinkURL("ftp://my.com/") == nil)
    #expect(LinkURL("https:///x") == nil)
    #expect(LinkURL("HTTPS://MY.com")?.host.text == "my.com")
    #expect(LinkURL("https://xn--bcher-kva.example/")?.host.text == "xn--bcher-kva.example")
  }

  @Test(
    "R8.18 one site, however its host, port and empty path are written",
    arguments: [
      "https://my.com", "HTTPS://My.COM/", "https://my.com./", "https://my.com:443",
      "https://my.com:",
      "https://user:secret@my.com/",
    ])
  func sameSite(_ text: String) throws {
    #expect(try LinkURL(reading: text) == LinkURL(reading: "https://my.com/"))
    let query = try LinkURL(reading: text + "?q")
    #expect(query.host.text == "my.com" && query.query.written == "q" && query.path.written == "/")
  }

  @Test(
    "Nor with values of variables that match nothing or anything, nor with very many components",
    arguments: [
      (#"[{"/":"/*$(empty)b"}]"#, 3_000), (#"[{"/":"/$(any)b"}]"#, 3_000),
      ("[" + Array(repeating: #"{"/":"b"}"#, count: 12_000).joined(separator: ",") + "]", 0),
    ]) func boundedVariables(_ components: String, _ length: Int) throws
  {
    func values(_ text: String) -> String {
      "[" + Array(repeating: text, count: 10_000).joined(separator: ",") + "]"
    }
    let variables =
      length > 0
      ? ##","substitutionVariables":{"empty":\##(values("\"\"")),"any":\##(values("\"*\""))}"## : ""
    let site = try Site(components: components, more: variables)
    #expect(try site.verdict("/" + String(repeating: "a", count: length)) == .tooMuchWork)
  }

  @Test("No file can make it work without end")
  func bounded() throws {
    let stars = String(repeating: "*a", count: 20_000)
    let site = try Site(components: #"[{"/":"/\#(stars)b"}]"#)
    let path = "/" + String(repeating: "a", count: 20_000)
    #expect(try site.verdict(path) == .tooMuchWork)
    // Each text finds the whole rest of the path.
    let texts = Array(repeating: #""*""#, count: 20_000).joined(separator: ",")
    let many = try Site(
      components: #"[{"/":"/$(v)!"}]"#, more: #","substitutionVariables":{"v":[\#(texts)]}"#)
    #expect(try many.verdict(path) == .tooMuchWork)
    // A pattern like that of a real file, with a long URL, is within the bounds.
    #expect(
      try Site(components: #"[{"/":"/*a*b*"}]"#).verdict(String(path.prefix(8_000)))
        == .notMatched)
  }
}
