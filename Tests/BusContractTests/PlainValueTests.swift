import BusContract
import DBus
import LaunchRules
import Testing

@Suite("Values of a user info on D-Bus") struct PlainValueTests {
  private static let values: [PlainValue] = [
    .string("ä"), .boolean(true), .integer(-7), .double(0.5), .data([]), .data([0, 255]),
    .list([.integer(1), .data([1]), .list([])]),
    .dictionary(["a": .dictionary(["b": .data([2])]), "c": .list([.string("x")])]),
  ]

  @Test("arrive as they were sent", arguments: values) func roundTrip(_ value: PlainValue) {
    #expect(PlainValue(value.value) == value)
  }

  @Test("data are an array of bytes, and other arrays are lists") func types() {
    #expect(PlainValue.data([1, 2]).value == .array(of: "y", [.byte(1), .byte(2)]))
    #expect(PlainValue(.array(of: "i", [.int32(1)])) == .list([.integer(1)]))
    #expect(PlainValue(.array(of: "o", [.objectPath("/a")])) == nil)
  }
}
