import Foundation
import Testing

@testable import launchservices_simulator

@Suite struct OldStylePropertyListTests {
  @Test("Foundation reads what is written")
  func roundTrip() throws {
    let lines = OldStylePropertyList.lines(
      .dictionary([
        ("com.x", .dictionary([("Path", .text("/a b/\"c\"\\d\n")), ("Name", .text("Ü𝄞"))])),
        ("empty", .text("")), ("list", .array([.text("a"), .text("b-c")])), ("none", .array([])),
      ]))
    let data = Data(lines.joined(separator: "\n").utf8)
    let read = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
    let expected: NSDictionary = [
      "com.x": ["Path": "/a b/\"c\"\\d\n", "Name": "Ü𝄞"], "empty": "", "list": ["a", "b-c"],
      "none": [String](),
    ]
    #expect(read as? NSDictionary == expected)
  }
}
