internal import DBus
internal import LaunchRules

// Decoding of unit properties from systemd.

nonisolated extension Value {
  /// The value inside a variant.
  var content: Value? { if case .variant(let value) = self { value } else { nil } }
}

nonisolated extension UnitEnd {
  init(_ values: [String: Value]) {
    func number(_ name: String) -> Int32? {
      if case .int32(let number)? = values[name] { number } else { nil }
    }
    self.init(code: number("ExecMainCode"), status: number("ExecMainStatus"))
  }
}
