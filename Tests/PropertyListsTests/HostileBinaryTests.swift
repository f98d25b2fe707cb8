import Foundation
import LaunchRules
import PropertyLists
import Testing

@Suite(.timeLimit(.minutes(30))) struct `A binary property list` {
  /// An application whose `key` holds what `value` makes; object 0 is the top dictionary.
  static func application(
    _ key: String, _ value: (inout BinaryPropertyList) -> UInt32
  ) -> BinaryPropertyList {
    var list = BinaryPropertyList()
    list.add([])
    let name = list.text("CFBundleIdentifier")
    let identifier = list.text("com.example.app")
    let key = list.text(key)
    let value = value(&list)
    list.objects[0] = BinaryPropertyList.dictionary([(name, identifier), (key, value)])
    return list
  }

  @Test func `is read`() throws {
    let contents: [String: Any] = [
      "CFBundleIdentifier": "com.example.app", "CFBundleName": "Äpp",
      "CFBundleURLTypes": [["CFBundleURLSchemes": ["One", "2"]]],
      "LSApplicationQueriesSchemes": ["fb"], "DBusActivatable": true,
    ]
    let bytes = try PropertyListSerialization.data(
      fromPropertyList: contents, format: .binary, options: 0)
    let reading = readBytes(Array(bytes))
    let declaration = try #require(reading.declaration)
    #expect(declaration.name == "Äpp")
    #expect(declaration.urlTypes.map { $0.schemes.map(\.text) } == [["one"]])
    #expect(declaration.queriesSchemes == ["fb"])
    #expect(declaration.isDBusActivatable)
    #expect(
      reading.diagnostics.map(\.keyPath) == ["CFBundleURLTypes[0].CFBundleURLSchemes[1]"])
  }

  @Test func `put together by these tests is read`() {
    let list = Self.application("CFBundleName") { $0.text("App") }
    #expect(readBytes(list.bytes).declaration?.name == "App")
  }

  @Test func `that holds itself is read as far as it makes sense`() {
    var list = Self.application("CFBundleURLTypes") { $0.array([4, 0, 4]) }
    var reading = readBytes(list.bytes)
    #expect(reading.declaration?.urlTypes == [])
    #expect(reading.diagnostics.count == 3)
    list = Self.application("LSApplicationQueriesSchemes") { $0.array([4, 2, 0]) }
    reading = readBytes(list.bytes)
    #expect(reading.declaration?.queriesSchemes == ["com.example.app"])
  }

  @Test func `nested ten thousand deep is read as far as it makes sense`() {
    let list = Self.application("CFBundleURLTypes") { list in
      var inner = list.array([])
      for _ in 0..<10_000 { inner = list.array([inner]) }
      return inner
    }
    #expect(readBytes(list.bytes).declaration?.urlTypes == [])
  }

  @Test func `whose lists refer to one another a million times over is refused`() {
    let list = Self.application("CFBundleURLTypes") { list in
      let scheme = list.text("a")
      let schemes = list.array([UInt32](repeating: scheme, count: 10_000))
      let key = list.text("CFBundleURLSchemes")
      let type = list.add(BinaryPropertyList.dictionary([(key, schemes)]))
      return list.array([UInt32](repeating: type, count: 10_000))
    }
    expectTooMuch(list)
  }

  @Test func `whose list holds one long text thousands of times is refused`() {
    let list = Self.application("LSApplicationQueriesSchemes") { list in
      let long = list.text(String(repeating: "a", count: 1 << 20))
      return list.array([UInt32](repeating: long, count: 10_000))
    }
    expectTooMuch(list)
  }

  @Test(
    "whose list holds one large collection thousands of times is refused",
    arguments: ["LSApplicationQueriesSchemes", "CFBundleURLTypes"])
  func largeCollections(_ key: String) {
    let lists = Self.application(key) { list in
      let large = list.array([UInt32](repeating: 1, count: 200_000))
      return list.array([UInt32](repeating: large, count: 10_000))
    }
    expectTooMuch(lists)
    let dictionaries = Self.application(key) { list in
      let keys = (0..<1000).map { number in list.text("key \(number)") }
      let large = list.add(BinaryPropertyList.dictionary(keys.map { ($0, 1) }))
      return list.array([UInt32](repeating: large, count: 10_000))
    }
    expectTooMuch(dictionaries)
  }

  private func expectTooMuch(_ list: BinaryPropertyList) {
    let reading = readBytes(list.bytes)
    #expect(reading.declaration == nil)
    #expect(
      reading.diagnostics.contains {
        $0.problem == "the property list expands to far more values than an application declares"
      })
  }

  @Test func `whose thousands of keys are one long text is refused`() {
    var list = Self.application("X") { $0.text(String(repeating: "a", count: 1 << 20)) }
    let keys = (0..<50_000).map { _ in list.add([]) }
    let start = UInt32(8 + list.objects.prefix(4).reduce(0) { $0 + $1.count })
    for key in keys { list.offsets[Int(key)] = start }
    list.objects[0] = BinaryPropertyList.dictionary(keys.map { ($0, 1) })
    let reading = readBytes(list.bytes)
    #expect(reading.declaration == nil)
    #expect(reading.diagnostics.first?.problem.contains("objects in") == true)
  }

  @Test(
    "with wrong counts and places is refused",
    arguments: [0, 1, 2, 6, 1 << 20, 1 << 32, 1 << 60, UInt64.max], [0, 5, UInt64.max])
  func wrongTrailer(_ count: UInt64, _ top: UInt64) {
    var list = Self.application("CFBundleName") { $0.text("App") }
    (list.declaredCount, list.topObject) = (count, top)
    let reading = readBytes(list.bytes)
    #expect(reading.declaration == nil)
    #expect(reading.diagnostics.map(\.severity) == [.error])
  }

  @Test(
    "with its table in a wrong place is refused", arguments: [0, 8, 1 << 20, 1 << 62, UInt64.max])
  func wrongTable(_ place: UInt64) {
    var list = Self.application("CFBundleName") { $0.text("App") }
    list.offsetTable = place
    #expect(readBytes(list.bytes).declaration == nil)
  }

  @Test(
    "with a damaged value loses that value alone",
    arguments: [
      [0x5F, 0x12, 0x7F, 0xFF, 0xFF, 0xFF], [0x5F, 0x13, 0xFF], [0x6F, 0x13],
      [0xAF, 0x12, 0xFF, 0xFF, 0xFF, 0xFF], [0xA1, 0xFF, 0xFF, 0xFF, 0xFF], [0xD1], [0x1F], [0x70],
      [0x5F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x80, 0x01], [0xF0], [0x00],
      [0x62, 0xD8, 0x00, 0xD8, 0x00], [0x52, 0xFF, 0xFE],
    ] as [[UInt8]])
  func damagedValue(_ value: [UInt8]) {
    for key in ["CFBundleName", "CFBundleURLTypes", "DBusActivatable", "LSEnvironment"] {
      let list = Self.application(key) { $0.add(value) }
      let reading = readBytes(list.bytes)
      #expect(reading.declaration?.identifier.text == "com.example.app", "\(key)")
    }
  }
}
