import DBus
import Testing

@Suite("A message") struct MessageTests {
  static let values: [Value] = [
    .byte(7), .boolean(true), .boolean(false), .int16(-2), .uint16(2), .int32(-3), .uint32(.max),
    .int64(.min), .uint64(.max), .double(0.5), .string(""), .string("中 é"), .objectPath("/a"),
    .signature("a{sv}"), .variant(.variant(.string("x"))), .strings([]), .strings(["a", "b"]),
    .booleans([true, false]), .options([:]),
    .options(["a": .uint32(1), "b": .strings(["c"]), "c": .options(["d": .boolean(true)])]),
    .stringDictionary(["a": "b"]), .optionsList([["a": .string("b")], [:]]),
    .array(of: "(sa{sv})", [.structure([.string("u"), .options(["k": .variant(.byte(1))])])]),
    .array(of: "(st)", []),
  ]

  @Test("gives back what was put in, of every type", arguments: values)
  func roundTrip(_ value: Value) {
    let message = Self.message([value, .string("after")])
    #expect(message.arguments() == [value, .string("after")])
    #expect(message.signature == value.type + "s")
  }

  @Test("cannot hold NUL in a string, so it is replaced") func replacesNUL() {
    #expect(Self.message([.string("a\0b")]).arguments() == [.string("a\u{FFFD}b")])
  }

  @Test("passes over options nobody knows, whatever they hold") func unknownOptions() {
    let message = Self.message([
      .options(["known": .string("yes"), "unknown": .array(of: "ai", []), "other": .byte(1)]),
      .string("after"),
    ])
    let (options, after) = message.read { reader in
      (reader.options(knowing: ["known", "absent"]), reader.string())
    }
    #expect(options == ["known": .string("yes")])
    #expect(after == "after")
  }

  @Test("does not read an argument as another type, and stays where it is") func wrongType() {
    let read = Self.message([.uint32(1)]).read { reader in
      (reader.string(), reader.options(knowing: []), reader.value(), reader.value())
    }
    #expect(read.0 == nil)
    #expect(read.1 == nil)
    #expect(read.2 == .uint32(1))
    #expect(read.3 == nil)
  }

  @Test("is not read beyond a limit, whatever it holds") func limit() {
    for value in Self.values {
      #expect(Self.message([value]).arguments(atMost: 1000) == [value])
    }
    let many = Self.message([.booleans([Bool](repeating: true, count: 100))])
    #expect(many.arguments(atMost: 808)?.first?.asBooleans?.count == 100)
    #expect(many.arguments(atMost: 807) == nil)
    let long = Self.message([.options(["key": .string(String(repeating: "x", count: 100))])])
    // Of 8 bytes each: the array, its entry, the key, the variant, the string; and 103 characters.
    #expect(long.arguments(atMost: 143) != nil)
    #expect(long.arguments(atMost: 142) == nil)
  }

  @Test("has a size, which is counted up to a limit") func size() {
    #expect(Self.message([]).argumentBytes(atMost: 100) == 0)
    #expect(Self.message([.string("12345"), .byte(1)]).argumentBytes(atMost: 100) == 21)
    #expect(Self.message([.booleans([true, false])]).argumentBytes(atMost: 100) == 16)
    #expect(Self.message([.booleans([])]).argumentBytes(atMost: 100) == 8)
    // The array, its entry, the key, the variant, the string, and 103 characters.
    let options = Value.options(["key": .string(String(repeating: "x", count: 100))])
    #expect(Self.message([options]).argumentBytes(atMost: 1000) == 143)
    #expect(Self.message([options, options]).argumentBytes(atMost: 200) == 200)
    for value in Self.values {
      #expect(Self.message([value, .string("after")]).argumentBytes(atMost: 1000) > 13)
    }
  }

  @Test("that reports an error with a long text is cut in the middle, between characters")
  func longError() {
    func error(_ text: String, atMost bytes: Int?) -> String? {
      let reply = Message.reply(to: ":1.1", serial: 1, .failed(text))
      guard case .failure(let error) = reply.result(atMost: bytes) else { return nil }
      return error.text
    }
    let most = Message.longestErrorText
    let longest = String(repeating: "x", count: most)
    #expect(error(longest, atMost: 10) == longest)
    let long = "first" + String(repeating: "é", count: 100_000) + "last"
    #expect(error(long, atMost: nil) == long)
    let cut = error(long, atMost: 10) ?? ""
    #expect(cut.utf8.count <= most + 3)
    #expect(cut.utf8.count > most - 4)
    #expect(cut.hasPrefix("firsté") && cut.contains("é…é") && cut.hasSuffix("élast"))
    #expect(!cut.contains("\u{FFFD}"))
  }

  static func message(_ arguments: [Value]) -> Message {
    .call(to: "a.b", path: "/", interface: "a.b", member: "M", arguments)
  }
}
