internal import CDBus
internal import Glibc

extension Message {
  /// Appends values to the message's arguments.
  package func append(_ values: [Value]) {
    guard !values.isEmpty else { return }
    var iterator = unsafe DBusMessageIter()
    unsafe dbus_message_iter_init_append(raw, &iterator)
    for value in values { unsafe Self.append(value, to: &iterator) }
  }

  private static func append(_ value: Value, to iterator: inout DBusMessageIter) {
    switch value {
    case .byte(let number): unsafe basic(.byte, number, &iterator)
    case .boolean(let flag): unsafe basic(.boolean, UInt32(flag ? 1 : 0), &iterator)
    case .int16(let number): unsafe basic(.int16, number, &iterator)
    case .uint16(let number): unsafe basic(.uint16, number, &iterator)
    case .int32(let number): unsafe basic(.int32, number, &iterator)
    case .uint32(let number): unsafe basic(.uint32, number, &iterator)
    case .int64(let number): unsafe basic(.int64, number, &iterator)
    case .uint64(let number): unsafe basic(.uint64, number, &iterator)
    case .double(let number): unsafe basic(.double, number, &iterator)
    case .descriptor(let descriptor): unsafe basic(.descriptor, descriptor.number, &iterator)
    case .string(let text): unsafe string(.string, text, &iterator)
    case .objectPath(let path): unsafe string(.objectPath, path.text, &iterator)
    case .signature(let signature): unsafe string(.signature, signature.text, &iterator)
    case .variant(let value):
      unsafe container(.variant, value.type, &iterator) { unsafe append(value, to: &$0) }
    case .array(let element, let elements):
      unsafe container(.array, element.text, &iterator) {
        for value in elements { unsafe append(value, to: &$0) }
      }
    case .structure(let members):
      unsafe container(.structure, nil, &iterator) {
        for value in members { unsafe append(value, to: &$0) }
      }
    case .dictionaryEntry(let key, let value):
      unsafe container(.dictionaryEntry, nil, &iterator) {
        unsafe append(key, to: &$0)
        unsafe append(value, to: &$0)
      }
    }
  }

  private static func basic<Number>(
    _ type: TypeCode, _ number: Number, _ iterator: inout DBusMessageIter
  ) {
    unsafe withUnsafePointer(to: number) {
      check(unsafe dbus_message_iter_append_basic(&iterator, type.code, $0))
    }
  }

  private static func string(
    _ type: TypeCode, _ text: String, _ iterator: inout DBusMessageIter
  ) {
    unsafe text.withCString { pointer in
      // Validated names contain no NUL; other strings may.
      guard unsafe strlen(pointer) == text.utf8.count else {
        return unsafe string(type, text.replacingNUL, &iterator)
      }
      var pointer: UnsafePointer<CChar>? = unsafe pointer
      check(unsafe dbus_message_iter_append_basic(&iterator, type.code, &pointer))
    }
  }

  private static func container(
    _ type: TypeCode, _ contents: String?, _ iterator: inout DBusMessageIter,
    _ fill: (inout DBusMessageIter) -> Void
  ) {
    var inner = unsafe DBusMessageIter()
    check(unsafe dbus_message_iter_open_container(&iterator, type.code, contents, &inner))
    unsafe fill(&inner)
    check(unsafe dbus_message_iter_close_container(&iterator, &inner))
  }

  private static func check(_ succeeded: UInt32) {
    precondition(succeeded != 0, "libdbus ran out of memory")
  }
}

/// The C importer skips these constants because libdbus defines them as `((int) 's')`.
enum TypeCode: UInt8 {
  case byte = 0x79  // y
  case boolean = 0x62  // b
  case int16 = 0x6E  // n
  case uint16 = 0x71  // q
  case int32 = 0x69  // i
  case uint32 = 0x75  // u
  case int64 = 0x78  // x
  case uint64 = 0x74  // t
  case double = 0x64  // d
  case string = 0x73  // s
  case objectPath = 0x6F  // o
  case signature = 0x67  // g
  case descriptor = 0x68  // h
  case variant = 0x76  // v
  case array = 0x61  // a
  case structure = 0x72  // r
  case dictionaryEntry = 0x65  // e

  var code: Int32 { Int32(rawValue) }
}
