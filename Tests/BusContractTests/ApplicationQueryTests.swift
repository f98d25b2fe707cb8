import BusContract
import DBus
import Testing

@Suite("All applications") struct ApplicationQueryTests {
  /// What is asked for after each, and what comes of it.
  private static func all(_ pages: [[String]]) throws -> (asked: [String], found: [String]) {
    var (asked, rest) = ([String](), pages[...])
    let found = try ApplicationQuery.all { message throws(BusError) in
      asked.append(message.arguments().first?.asOptions?["after"]?.asString ?? "?")
      let page = rest.popFirst() ?? []
      return [.optionsList(page.map { ["bundle-identifier": .string($0)] })]
    }
    return (asked, found.compactMap { $0["bundle-identifier"]?.asString })
  }

  @Test("come in pieces, until one is empty") func pieces() throws {
    let (asked, found) = try Self.all([["a", "b"], ["c"], [], ["d"]])
    #expect(asked == ["", "b", "c"])
    #expect(found == ["a", "b", "c"])
  }

  @Test("come once each when the service begins again") func fromTheBest() throws {
    let (asked, found) = try Self.all([["a", "b"], ["a", "c"], ["d"]])
    #expect(asked == ["", "b", "c", "d"])
    #expect(found == ["a", "b", "c", "d"])
  }

  @Test("end with a service that gives the same piece again and again") func again() throws {
    let (asked, found) = try Self.all([["a"], ["a"], ["a"]])
    #expect(asked == ["", "a"])
    #expect(found == ["a"])
  }
}
