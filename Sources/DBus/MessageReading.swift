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

  /// All arguments; nil, without reading the rest, when they exceed the limit.
  /// - Parameter bytes: maximum size of the arguments in bytes. Each value counts as at least 8 bytes.
  package func arguments(atMost bytes: Int) -> [Value]? {
    read { reader in
      var (values, budget) = ([Value](), bytes)
      while let value = reader.value(within: &budget) { values.append(value) }
      return budget < 0 ? nil : values
    }
  }

  /// The size of the arguments in bytes, or the limit if they are larger: strings by their length, elements of fixed arrays by
  /// their size, and 8 bytes for each value.
  package func argumentBytes(atMost limit: Int) -> Int {
    read { reader in
      var budget = limit
      while reader.skip(within: &budget) {}
      return limit - max(0, budget)
    }
  }

  /// The text of an error: the first argument if it is a string, otherwise empty.
  /// - Parameter bytes: maximum size of the text in bytes. Of a longer text, the middle is replaced with "…", because both
  ///   the start and the end may name the cause.
  func errorText(atMost bytes: Int) -> String {
    read { $0.string(atMost: bytes) ?? "" }
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

  /// The next argument if it is a string, with its middle replaced with "…" when it is longer than the limit; otherwise
  /// nil, and the position does not change.
  fileprivate mutating func string(atMost bytes: Int) -> String? {
    guard type() == .string else { return nil }
    defer { advance() }
    var pointer: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&iterator, &pointer)
    guard let start = unsafe pointer else { return "" }
    let length = unsafe strlen(start)
    guard length > bytes else { return unsafe String(cString: start) }
    let text = unsafe UnsafeRawBufferPointer(start: start, count: length)
    func isInsideCharacter(_ place: Int) -> Bool { unsafe text[place] & 0xC0 == 0x80 }
    var (end, rest) = (bytes * 3 / 4, length - bytes / 4)
    while end > 0, isInsideCharacter(end) { end -= 1 }
    while rest < length, isInsideCharacter(rest) { rest += 1 }
    return unsafe String(decoding: text[..<end], as: UTF8.self) + "…"
      + String(decoding: text[rest...], as: UTF8.self)
  }

  /// The next argument of any type; nil at the end.
  package mutating func value() -> Value? {
    var budget = Int.max
    return value(within: &budget)
  }

  /// The next argument of any type; nil at the end, and when the budget is used up, which is negative then.
  /// - Parameter budget: the size in bytes that may be read; reduced by the size of the argument.
  fileprivate mutating func value(within budget: inout Int) -> Value? {
    guard budget >= 0, let type = type() else { return nil }
    budget -= 8
    guard budget >= 0 else { return nil }
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
    case .string: return text(within: &budget).map(Value.string)
    case .objectPath: return text(within: &budget).flatMap(ObjectPath.init).map(Value.objectPath)
    case .signature: return Signature(text()).map(Value.signature)
    case .variant:
      var inner = enter()
      return inner.value(within: &budget).map(Value.variant)
    case .structure: return .structure(inside(within: &budget))
    case .dictionaryEntry:
      var inner = enter()
      guard let key = inner.value(within: &budget), let value = inner.value(within: &budget)
      else { return nil }
      return .dictionaryEntry(key, value)
    case .array: return .array(of: elementSignature(), inside(within: &budget))
    }
  }

  private mutating func enter() -> ArgumentReader {
    var inner = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&iterator, &inner)
    let isEmpty = unsafe dbus_message_iter_get_arg_type(&inner) == 0
    return unsafe ArgumentReader(iterator: inner, isAtEnd: isEmpty)
  }

  /// Passes over the next argument; false at the end, and when the budget is used up.
  /// - Parameter budget: reduced by the size of the argument, see `Message.argumentBytes`.
  fileprivate mutating func skip(within budget: inout Int) -> Bool {
    guard budget > 0, let type = type() else { return false }
    defer { advance() }
    budget -= 8
    switch type {
    case .string, .objectPath, .signature:
      var pointer: UnsafePointer<CChar>?
      unsafe dbus_message_iter_get_basic(&iterator, &pointer)
      if budget > 0, let start = unsafe pointer { budget -= unsafe strnlen(start, budget) }
    case .array:
      let element = elementType()
      let size = element.flatMap { Self.fixedSizes[$0] }
      var inner = enter()
      if let size {
        budget -= size * inner.fixedCount()
      } else {
        while inner.skip(within: &budget) {}
      }
    case .variant, .structure, .dictionaryEntry:
      var inner = enter()
      while inner.skip(within: &budget) {}
    default: break
    }
    return true
  }

  /// The sizes of the elements of arrays that libdbus has in one piece, in bytes.
  private static let fixedSizes: [TypeCode: Int] = [
    .byte: 1, .boolean: 4, .int16: 2, .uint16: 2, .int32: 4, .uint32: 4, .int64: 8, .uint64: 8,
    .double: 8,
  ]

  /// The number of elements of a fixed type from here to the end of the array.
  private mutating func fixedCount() -> Int {
    guard !isAtEnd else { return 0 }
    var start: UnsafeRawPointer?
    var count: Int32 = 0
    unsafe dbus_message_iter_get_fixed_array(&iterator, &start, &count)
    return Int(count)
  }

  private mutating func inside(within budget: inout Int) -> [Value] {
    var inner = enter()
    var values: [Value] = []
    while let value = inner.value(within: &budget) { values.append(value) }
    return values
  }

  private mutating func basic<Number>(_ zero: Number) -> Number {
    var number = zero
    unsafe withUnsafeMutablePointer(to: &number) {
      unsafe dbus_message_iter_get_basic(&iterator, $0)
    }
    return number
  }

  /// Nil, with a negative budget, when the text is longer than the budget.
  private mutating func text(within budget: inout Int) -> String? {
    var pointer: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&iterator, &pointer)
    guard let start = unsafe pointer else { return "" }
    let length = unsafe strnlen(start, budget)
    budget -= length
    // A text that ends behind the budget.
    let isWhole = unsafe start[length] == 0
    guard budget > 0 || isWhole else {
      budget = -1
      return nil
    }
    return unsafe String(cString: start)
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
