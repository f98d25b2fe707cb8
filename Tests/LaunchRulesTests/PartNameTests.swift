import LaunchRules
import Testing

@Suite("The name of a part of a call that opens documents")
struct PartNameTests {
  @Test("tells the places of its documents, and is nobody else's") func places() {
    let name = PartName.text([0, 2], of: "a")
    #expect(PartName.places(in: name, of: "a") == [0, 2])
    #expect(PartName.places(in: name, of: "b") == nil)
    #expect(PartName.places(in: PartName.text([1], of: "a#1"), of: "a") == nil)
    #expect(PartName.places(in: "a", of: "a") == nil)
    #expect(PartName.places(in: "a#", of: "a") == nil)
  }
}
