internal import DBus

/// The options of one call; each value is checked for its type.
struct OptionReader {
  let options: Options

  private func take<Result>(
    _ key: String, _ type: String, _ convert: (Value) -> Result?
  ) throws(BusError) -> Result? {
    guard let value = options[key] else { return nil }
    guard let result = convert(value) else {
      throw .invalidArguments("option '\(key)' must be of type \(type), not \(value.type)")
    }
    return result
  }

  func string(_ key: String) throws(BusError) -> String? { try take(key, "s") { $0.asString } }
  func boolean(_ key: String) throws(BusError) -> Bool? { try take(key, "b") { $0.asBoolean } }
  func uint32(_ key: String) throws(BusError) -> UInt32? { try take(key, "u") { $0.asUInt32 } }
  func uint64(_ key: String) throws(BusError) -> UInt64? { try take(key, "t") { $0.asUInt64 } }
  func path(_ key: String) throws(BusError) -> ObjectPath? {
    try take(key, "o") { $0.asObjectPath }
  }
  func uint32s(_ key: String) throws(BusError) -> [UInt32]? {
    try take(key, "au") { value in
      value.type == "au" ? value.elements?.compactMap(\.asUInt32) : nil
    }
  }
  func options(_ key: String) throws(BusError) -> Options? {
    try take(key, "a{sv}") { $0.asOptions }
  }
  func descriptor(_ key: String) throws(BusError) -> OwnedDescriptor? {
    try take(key, "h") { $0.asDescriptor }
  }
  func strings(_ key: String) throws(BusError) -> [String]? {
    try take(key, "as") { $0.asStrings }
  }
  func stringDictionary(_ key: String) throws(BusError) -> [String: String]? {
    try take(key, "a{ss}") { $0.asStringDictionary }
  }
}
