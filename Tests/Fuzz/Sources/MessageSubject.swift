internal import BusContract
internal import DBus

/// D-Bus messages. What begins as a message is one; from anything else a call of the contract is made,
/// because few random bytes are a message.
enum MessageSubject {
  static func take(_ input: [UInt8]) {
    if input.first == UInt8(ascii: "l") || input.first == UInt8(ascii: "B") {
      if let message = Message(marshalled: input) { read(message) }
    } else {
      var choices = Choices(input)
      read(choices.call())
    }
  }

  private static func read(_ message: borrowing Message) {
    do throws(BusError) {
      _ = try IncomingCall(reading: message)
    } catch {
      precondition(!error.text.isEmpty, "an error that says nothing")
    }
    let values = message.arguments()
    let types = values.map(\.type).joined()
    precondition(types == message.signature, "\(message.signature) was read as \(types)")
    for value in values { precondition(value.depth <= 64 && value.byteCount >= 0) }
  }
}

/// Bytes as a row of choices; zero when there are no more.
struct Choices {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  mutating func next() -> UInt8 { bytes.popFirst() ?? 0 }

  private mutating func one<Element>(of list: [Element]) -> Element {
    list[Int(next()) % list.count]
  }

  private static let methods = Contract.interfaces.flatMap { interface in
    interface.methods.map { (interface.name, $0.name, $0.inputSignature) }
  }

  private static let keys = [
    "as", "application", "arguments", "environment", "annotation", "activation-token", "request-id",
    "limit", "since", "token", "bundle-identifier", "object-path", "running", "state", "will",
    "did",
    "define", "type", "title", "subtitle", "icon", "user-info", "opener", "scheme", "handler",
    "allowed",
    "confirmation-agent", "cancellation-id", "hidden", "own-application", "unknown",
  ]

  mutating func call() -> Message {
    let (interface, member, signature) = one(of: Self.methods)
    return .call(
      to: Contract.busName, path: Contract.objectPath, interface: interface, member: member,
      arguments(signature))
  }

  /// Mostly what the method takes.
  private mutating func arguments(_ signature: String) -> [Value] {
    if next() > 0xf0 { return (0..<next() % 4).map { _ in value(depth: 3) } }
    var values: [Value] = []
    var rest = signature[...]
    while !rest.isEmpty {
      if rest.hasPrefix("aa{sv}") {
        values.append(.optionsList((0..<next() % 20).map { _ in options() }))
        rest = rest.dropFirst(6)
      } else if rest.hasPrefix("a{sv}") {
        values.append(.options(options()))
        rest = rest.dropFirst(5)
      } else {
        switch rest.removeFirst() {
        case "s": values.append(.string(text()))
        case "o": values.append(.objectPath(ObjectPath(text()) ?? "/"))
        case "b": values.append(.boolean(next() > 127))
        case "u": values.append(.uint32(UInt32(next()) << 24))
        default: values.append(.byte(next()))
        }
      }
    }
    return values
  }

  private mutating func options() -> Options {
    var options: Options = [:]
    for _ in 0..<next() % 6 { options[one(of: Self.keys)] = value(depth: 5) }
    return options
  }

  private mutating func text() -> String {
    let count = Int(next())
    let piece = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return String(decoding: piece, as: UTF8.self)
  }

  private mutating func value(depth: Int) -> Value {
    let kind = next() % (depth > 0 ? 16 : 9)
    switch kind {
    case 0: return .byte(next())
    case 1: return .boolean(next() > 127)
    case 2: return .uint32(UInt32(next()))
    case 3: return .int64(-Int64(next()))
    case 4: return .double(next() > 127 ? .nan : 1)
    case 5: return .objectPath(ObjectPath(text()) ?? "/a")
    case 6: return .signature("a{sv}")
    case 7, 8: return .string(text())
    case 9: return .variant(value(depth: depth - 1))
    case 10: return .options(options(depth: depth - 1))
    case 11: return .strings((0..<next() % 8).map { _ in text() })
    case 12: return .stringDictionary([text(): text()])
    case 13: return .structure([value(depth: depth - 1), value(depth: depth - 1)])
    case 14:
      let element = value(depth: depth - 1)
      return Signature(element.type).map { .array(of: $0, [element, element]) } ?? element
    default: return (0..<next() % 24).reduce(value(depth: 0)) { value, _ in .variant(value) }
    }
  }

  private mutating func options(depth: Int) -> Options {
    [one(of: Self.keys): value(depth: depth)]
  }
}
