import SystemSchemes
import Testing

private let host = "http://maps.apple.com/"
private let zoomNeedsSearch = "z: dropped: the zoom z is used only with sll, which is missing"
private let spanBeforeZoom =
  "z: dropped: the URL also has spn or sspn, which take precedence over z"

@Suite struct `Links of Maps` {
  private static let brussels = MapsURL.Coordinate("50.894967,4.341626")

  @Test("R9.13 are web URLs of one host", arguments: ["http", "https", "HTTPS"])
  func webURL(_ scheme: String) throws {
    #expect(try MapsURL("\(scheme)://Maps.Apple.com/?q=a").request == .search("a"))
    #expect(throws: FormatProblem.self) { try MapsURL("\(scheme)://example.com/?q=a") }
    #expect(throws: FormatProblem.self) { try MapsURL("maps:?q=a") }
    #expect(try SystemURL("maps:?q=a") == nil)
  }

  @Test("R9.16 search: the seeds' restaurant, where + is a space") func search() throws {
    let url = try MapsURL(host + "?q=Mexican+Restaurant")
    #expect(url.request == .search("Mexican Restaurant"))
    #expect(url.notes == [])
    #expect(url.sentence == "searches for \"Mexican Restaurant\"")
    #expect(
      try MapsURL(host + "?q=%E5%9B%9B%E5%B7%9D%E8%8F%9C").request == .search("四川菜"))
    // The seeds say of this one that it must be encoded.
    #expect(throws: FormatProblem.self) { try MapsURL(host + "?q=四川菜") }
  }

  @Test("R9.16 search at a place: the sample's t=s is no map type, and is dropped")
  func searchLocation() throws {
    let url = try MapsURL(host + "?q=Mexican+Restaurant&sll=50.894967,4.341626&z=10&t=s")
    #expect(url.request == .search("Mexican Restaurant"))
    #expect(url.searchLocation == Self.brussels)
    #expect(url.zoom == 10)
    #expect(url.mapType == nil)
    #expect(
      url.notes.map(\.description) == [
        "t: dropped: \"s\" is not m, k, h or r; the current map type is used (R9.14)"
      ])
  }

  @Test("R9.16 the surroundings of a place, without a text") func surroundings() throws {
    let url = try MapsURL(host + "?sll=50.894967,4.341626&z=10&t=s")
    #expect(url.request == .search(nil))
    #expect(url.searchLocation == Self.brussels)
    #expect(url.zoom == 10)
  }

  @Test("R9.16 directions, from here unless saddr says") func directions() throws {
    let first = try MapsURL(host + "?saddr=Cupertino&daddr=San+Francisco")
    #expect(first.request == .directions(source: "Cupertino", destination: "San Francisco"))
    #expect(first.transport == nil)
    let second = try MapsURL(host + "?saddr=San+Jose&daddr=San+Francisco&dirflg=r")
    #expect(second.request == .directions(source: "San Jose", destination: "San Francisco"))
    #expect(second.transport == .transit)
    let third = try MapsURL(host + "?daddr=San+Francisco&dirflg=d&t=h")
    #expect(third.request == .directions(source: nil, destination: "San Francisco"))
    #expect(third.transport == .car)
    #expect(third.mapType == .hybrid)
    #expect(third.sentence == "shows the way from here to \"San Francisco\"")
    #expect(first.notes + second.notes + third.notes == [])
  }

  @Test("R9.16 a place, by coordinate or by address") func place() throws {
    let center = try MapsURL(host + "?ll=50.894967,4.341626")
    let brussels = try #require(Self.brussels)
    #expect(center.request == .place(.coordinate(brussels), label: nil))
    let address = try MapsURL(host + "?address=1,Infinite+Loop,Cupertino,California")
    #expect(
      address.request == .place(.address("1,Infinite Loop,Cupertino,California"), label: nil))
    #expect(center.notes + address.notes == [])
  }

  @Test("R9.14 with ll or address, q is a label; ll beats address") func label() throws {
    let brussels = try #require(Self.brussels)
    let pin = try MapsURL(host + "?q=Atomium&ll=50.894967,4.341626")
    #expect(pin.request == .place(.coordinate(brussels), label: "Atomium"))
    #expect(pin.sentence == "shows 50.894967,4.341626, named \"Atomium\"")
    let named = try MapsURL(host + "?q=Home&address=1+Loop")
    #expect(named.request == .place(.address("1 Loop"), label: "Home"))
    let both = try MapsURL(host + "?address=1+Loop&ll=50.894967,4.341626")
    #expect(both.request == .place(.coordinate(brussels), label: nil))
    #expect(
      both.notes.map(\.description) == [
        "address: dropped: the URL also has ll, which takes precedence (R9.14)"
      ])
  }

  @Test(
    "R9.15 search, route and place, with all that may go with each",
    arguments: [
      ("q=a+b&near=1,2&t=k", MapsURL.Request.search("a b")),
      ("q=a&sll=1,2&z=10&t=m", .search("a")), ("q=a&sll=1,2&sspn=1,1&t=r", .search("a")),
      ("daddr=a&saddr=b&dirflg=w&t=h", .directions(source: "b", destination: "a")),
      ("address=a&q=b", .place(.address("a"), label: "b")),
    ])
  func combinations(_ query: String, _ request: MapsURL.Request) throws {
    let url = try MapsURL(host + "?" + query)
    #expect(url.request == request)
    #expect(url.notes == [])
  }

  @Test("R9.14 near is used when sll is missing or incomplete") func near() throws {
    #expect(try MapsURL(host + "?q=a&near=50.894967,4.341626").near == Self.brussels)
    let incomplete = try MapsURL(host + "?q=a&near=50.894967,4.341626&sll=50.89")
    #expect(incomplete.near == Self.brussels)
    #expect(incomplete.searchLocation == nil)
    let both = try MapsURL(host + "?q=a&near=1,2&sll=50.894967,4.341626")
    #expect(both.near == nil)
    #expect(both.searchLocation == Self.brussels)
  }

  @Test("R9.14 spans belong to ll and sll") func spans() throws {
    #expect(try MapsURL(host + "?ll=1,2&spn=0.5,0.25").span == MapsURL.Span("0.5,0.25"))
    #expect(try MapsURL(host + "?sll=1,2&sspn=0.5,0.25").searchSpan == MapsURL.Span("0.5,0.25"))
  }

  @Test("R9.14 every map type and way to travel")
  func codes() throws {
    let types: [(String, MapsURL.MapType)] = [
      ("m", .standard), ("k", .satellite), ("h", .hybrid), ("r", .transit),
    ]
    for (code, type) in types { #expect(try MapsURL(host + "?q=a&t=\(code)").mapType == type) }
    let ways: [(String, MapsURL.Transport)] = [("d", .car), ("w", .foot), ("r", .transit)]
    for (code, way) in ways {
      #expect(try MapsURL(host + "?daddr=a&dirflg=\(code)").transport == way)
    }
  }

  /// A query, the parameter that is dropped, and why.
  @Test(
    "R9.14 R9.16 what may not be there is dropped, and nothing else",
    arguments: [
      ("q=*", "q: dropped: q=* is not supported"),
      ("q=", "q: dropped: it is empty"),
      ("q=a&z=10", zoomNeedsSearch),
      ("ll=1,2&z=10", zoomNeedsSearch),
      ("sll=1,2&z=25", "z: dropped: \"25\" is not a number from 2 to 21"),
      ("sll=1,2&z=1.9", "z: dropped: \"1.9\" is not a number from 2 to 21"),
      ("sll=1,2&z=nan", "z: dropped: \"nan\" is not a number from 2 to 21"),
      ("sll=1,2&z=0x3p1", "z: dropped: \"0x3p1\" is not a number from 2 to 21"),
      ("ll=1,2&spn=1,1&sll=1,2&z=10", spanBeforeZoom),
      ("sll=1,2&sspn=1,1&z=10", spanBeforeZoom),
      ("q=a&spn=1,1", "spn: dropped: it is the span around ll, which is missing"),
      ("q=a&sspn=1,1", "sspn: dropped: it is the span around sll, which is missing"),
      ("ll=1,2&spn=0,1", "spn: dropped: \"0,1\" is not two distances in degrees, as in 0.5,0.5"),
      (
        "daddr=a&dirflg=x",
        "dirflg: dropped: \"x\" is not d, w or r; the user's usual way to travel is used"
      ),
      ("q=a&saddr=b", "saddr: dropped: directions need daddr, which is missing"),
      ("q=a&dirflg=d", "dirflg: dropped: directions need daddr, which is missing"),
      ("ll=1,2&near=1,2", "near: dropped: it is a hint for a search, and q is missing"),
      ("q=a&sll=1,2&near=3,4", "near: dropped: the URL also has sll, which takes precedence"),
      (
        "q=a&sll=91,2",
        "sll: dropped: \"91,2\" is not a latitude and a longitude, as in 50.894967,4.341626"
      ),
      (
        "ll=1,2,3",
        "ll: dropped: \"1,2,3\" is not a latitude and a longitude, as in 50.894967,4.341626"
      ),
      ("q=a&zoom=3", "\"zoom\": dropped: it is not a parameter of Maps"),
    ])
  func dropped(_ query: String, _ note: String) throws {
    #expect(try notes(host + "?" + query) == [note + " (R9.14)"])
  }

  @Test("R9.14 the limits of z are allowed", arguments: ["2", "21", "10.5"])
  func zoom(_ text: String) throws {
    #expect(try MapsURL(host + "?sll=1,2&z=\(text)").zoom == Double(text))
  }

  @Test("nothing usable shows the map", arguments: ["", "?", "?q=*", "?z=3", "?saddr=a", "?t=h"])
  func map(_ query: String) throws { #expect(try MapsURL(host + query).request == .map) }

  @Test("of a parameter given twice the last counts") func twice() throws {
    let url = try MapsURL(host + "?q=a&q=b")
    #expect(url.request == .search("b"))
    #expect(url.notes.map(\.description) == ["q: given more than once: the last one counts"])
  }
}
