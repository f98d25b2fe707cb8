import Foundation
import LaunchRules
import PropertyLists
import Testing

/// What `Tests/Fuzz` begins with and what it has found; `found-…` once ended the program.
@Suite("The inputs of the fuzzer", .timeLimit(.minutes(30)))
struct FuzzCorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzz/Corpus/property-lists")

  static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

  @Test("are read, or refused with a reason", arguments: names)
  func read(_ name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: name)))
    let reading = InfoPropertyList.read(bytes, at: BundleLocation(propertyList: "/a/Info.plist"))
    #expect(reading.declaration != nil || !reading.diagnostics.isEmpty)
    _ = Entitlements(bytes, at: "/a/a.entitlements")
    _ = StringsFile(bytes, at: "/a/InfoPlist.strings")
    if name.hasPrefix("found") {
      #expect(reading.declaration == nil)
    }
  }

  @Test("A count that no file has room for once ended the program") func count() throws {
    let file = Self.folder.appending(path: "found-1-count-too-large")
    let bytes = [UInt8](try Data(contentsOf: file))
    let reading = InfoPropertyList.read(bytes, at: BundleLocation(propertyList: "/a/Info.plist"))
    #expect(
      reading.diagnostics.first?.problem
        == "the binary property list is damaged: the stated size of an array or a dictionary is"
        + " greater than any file")
  }

  @Test(
    "So did that of an array, a set or a dictionary anywhere in it",
    arguments: [
      [0xAF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xCF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0],
      [0xAF, 0x14] + [UInt8](repeating: 0x3F, count: 16),
    ] as [[UInt8]])
  func anywhere(_ value: [UInt8]) {
    var list = BinaryPropertyList()
    let (key, inner) = (list.text("CFBundleIdentifier"), list.add(value))
    list.objects[0] = BinaryPropertyList.dictionary([(key, inner)])
    let reading = InfoPropertyList.read(
      list.bytes, at: BundleLocation(propertyList: "/a/Info.plist"))
    #expect(reading.declaration == nil)
    #expect(reading.diagnostics.map(\.severity) == [.error])
  }
}
