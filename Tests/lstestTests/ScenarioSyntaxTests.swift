import Testing

@testable import lstest

struct ScenarioSyntaxTests {
  /// A binary property list of these objects, the first of which is the top.
  private func binary(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    let table = UInt8(bytes.count)
    func number(_ value: UInt8) -> [UInt8] { Array(repeating: 0, count: 7) + [value] }
    return bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1] + number(UInt8(objects.count)) + number(0)
      + number(table)
  }

  private func problem(_ bytes: [UInt8]) -> String? {
    do throws(ScenarioSyntax.Wrong) {
      _ = try ScenarioSyntax.propertyList(bytes)
      return nil
    } catch {
      return error.sentence
    }
  }

  @Test("an array that contains itself is refused") func cycle() {
    #expect(
      problem(binary([[0xA1, 0]]))
        == "is not read: its arrays and dictionaries are nested more than 512 deep, or one of them"
        + " contains itself; check where it comes from")
  }

  @Test("arrays that use the next one twice, over 40 levels, are refused") func sharing() {
    let levels = (1...40).map { [0xA2, UInt8($0), UInt8($0)] }
    #expect(
      problem(binary(levels + [[0x09]]))
        == "is not read: it has more than 100000 values when those that are used several times are"
        + " counted each time; check where it comes from")
  }

  @Test("a value that is used twice is read") func twice() {
    #expect(problem(binary([[0xA2, 1, 1], [0x09]])) == nil)
  }
}
