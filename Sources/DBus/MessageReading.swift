internal import CDBus
internal import Glibc

extension Message {
  /// All arguments. libdbus has validated the message.
  package func arguments() -> [Value] {
    read { reader in
      var values: [Value] = []
      while let value = reader.value() { values.append(value) }
      return values
    }
  }

  /// Reads the arguments one by one, without building values for skipped arguments.
  package func read<Result, Failure: Error>(
    _ body: (inout ArgumentReader) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var iterator = unsafe DBusMessageIter()
    let isEmpty = unsafe dbus_message_iter_init(raw, &iterator) == 0
    var reader = unsafe ArgumentReader(iterator: iterator, isAtEnd: isEmpty)
    return try body(&reader)
  }
}

/// A position between the arguments of a message. Valid only inside `Message.read`.
@safe package struct ArgumentReader: ~Copyable {
  private var iterator: DBusMessageIter
  private var isAtEnd: Bool

  init(iterator: DBusMessageIter, isAtEnd: Bool) {
    unsafe self.iterator = unsafe iterator
    self.isAtEnd = isAtEnd
  }

  private mutating func type() -> TypeCode? {
    isAtEnd ? nil : TypeCode(rawValue: UInt8(unsafe dbus_message_iter_get_arg_type(&iterator)))
  }

  private mutating func advance() { isAtEnd = unsafe dbus_message_iter_next(&iterator) == 0 }

  /// The next argument if it is a string; otherwise nil, and the position does not change.
  package mutating func string() -> String? {
    guard type() == .string else { return nil }
    defer { advance() }
    return text()
  }

  /// The next argument if it is `a{sv}`, reduced to the keys the caller knows. Values under other
  /// keys are passed over, whatever their type and size.
  package mutating func options(knowing keys: Set<String>) -> Options? {
    guard type() == .array, elementType() == .dictionaryEntry else { return nil }
    defer { advance() }
    var options: Options = [:]
    var entries = enter()
    while entries.type() == .dictionaryEntry {
      var entry = entries.enter()
      if let key = entry.string(), keys.contains(key), case .variant(let value)? = entry.value() {
        options[key] = value
      }
      entries.advance()
    }
    return options
  }

  /// The next argument if it is `aa{sv}`: its first elements, each reduced to the keys the caller
  /// knows.
  package mutating func optionsList(knowing keys: Set<String>, atMost count: Int) -> [Options]? {
    guard type() == .array, elementType() == .array else { return nil }
    defer { advance() }
    var list: [Options] = []
    var elements = enter()
    while list.count < count, let options = elements.options(knowing: keys) { list.append(options) }
    return list
  }

  /// The next argument if it is `as`; nil, without reading the rest, when it exceeds the limit of strings or of
  /// bytes.
  package mutating func strings(atMost count: Int, bytes: Int) -> [String]? {
    guard type() == .array, elementType() == .string else { return nil }
    defer { advance() }
    var (strings, size) = ([String](), 0)
    var elements = enter()
    while let string = elements.string() {
      size += string.utf8.count
      guard strings.count < count, size <= bytes else { return nil }
      strings.append(string)
    }
    return strings
  }

  /// The next argument of any type; nil at the end.
  package mutating func value() -> Value? {
    guard let type = type() else { return nil }
    defer { advance() }
    switch type {
    case .byte: return .byte(basic(0))
    case .boolean: return .boolean(basic(UInt32(0)) != 0)
    case .int16: return .int16(basic(0))
    case .uint16: return .uint16(basic(0))
    case .int32: return .int32(basic(0))
    case .uint32: return .uint32(basic(0))
    case .int64: return .int64(basic(0))
    case .uint64: return .uint64(basic(0))
    case .double: return .double(basic(0))
    case .descriptor: return .descriptor(OwnedDescriptor(adopting: basic(Int32(-1))))
    case .string: return .string(text())
    case .objectPath: return ObjectPath(text()).map(Value.objectPath)
    case .signature: return Signature(text()).map(Value.signature)
    case .variant:
      var inner = enter()
      return inner.value().map(Value.variant)
    case .structure: return .structure(inside())
    case .dictionaryEntry:
      var inner = enter()
      guard let key = inner.value(), let value = inner.value() else { return nil }
      return .dictionaryEntry(key, value)
    case .array: return .array(of: elementSignature(), inside())
    }
  }

  private mutating func enter() -> ArgumentReader {
    var inner = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&iterator, &inner)
    let isEmpty = unsafe dbus_message_iter_get_arg_type(&inner) == 0
    return unsafe ArgumentReader(iterator: inner, isAtEnd: isEmpty)
  }

  private mutating func inside() -> [Value] {
    var inner = enter()
    var values: [Value] = []
    while let value = inner.value() { values.append(value) }
    return values
  }

  private mutating func basic<Number>(_ zero: Number) -> Number {
    var number = zero
    unsafe withUnsafeMutablePointer(to: &number) {
      unsafe dbus_message_iter_get_basic(&iterator, $0)
    }
    return number
  }

  private mutating func text() -> String {
    var pointer: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&iterator, &pointer)
    return unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }

  private mutating func elementType() -> TypeCode? {
    TypeCode(rawValue: UInt8(unsafe dbus_message_iter_get_element_type(&iterator)))
  }

  /// The type of the elements, also of an empty array.
  private mutating func elementSignature() -> Signature {
    switch elementType() {
    case .string: return .string
    case .boolean: return .boolean
    default: break
    }
    var inner = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&iterator, &inner)
    guard let text = unsafe dbus_message_iter_get_signature(&inner) else { return "v" }
    defer { unsafe dbus_free(text) }
    if unsafe strcmp(text, "{sv}") == 0 { return .option }
    return unsafe Signature(unchecked: String(cString: text))
  }
}
