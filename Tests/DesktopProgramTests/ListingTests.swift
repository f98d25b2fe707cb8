import Testing

@testable import launchservices_desktop

@Suite("What the program lists") struct ListingTests {
  @Test("The entries are listed once for all names, and not without need") func names() {
    var count = 0
    let names = ApplicationNames {
      count += 1
      return ["other.desktop"]
    }
    #expect(count == 0)
    for number in 1...1000 {
      #expect(names.name(of: "\(number).desktop") == "\(number).desktop")
    }
    #expect(count == 1)
  }
}
