/// The allowed values of a setting, and their text.
package struct SettingType<Value: Sendable>: Sendable {
  /// Such as `whole number of seconds, 1 to 1000000000`.
  package let allowed: String
  /// Nil when the value is not allowed.
  let read: @Sendable (SettingValue) -> Value?
  /// The value in messages and documents.
  let text: @Sendable (Value) -> String

  /// Reads an argument of the command line; nil for a value that is not allowed.
  package func parse(_ argument: String) -> Value? {
    SettingValue.candidates(argument).lazy.compactMap(read).first
  }
}

extension SettingType<Int> {
  /// - Parameter unit: such as `seconds`.
  package static func wholeNumber(of unit: String, in range: ClosedRange<Int> = 1...1_000_000_000)
    -> Self
  {
    Self(allowed: "whole number of \(unit), \(range.lowerBound) to \(range.upperBound)") { value in
      guard case .integer(let number) = value, let number = Int(exactly: number) else { return nil }
      return range.contains(number) ? number : nil
    } text: {
      "\($0)"
    }
  }

  static let seconds = wholeNumber(of: "seconds")
  static let bytes = wholeNumber(of: "bytes")
}

extension SettingType<Int?> {
  /// Nil is the default and cannot be set; documents write it as `absent`.
  static func seconds(or absent: String) -> Self {
    let seconds = SettingType<Int>.seconds
    return Self(allowed: seconds.allowed) { value in
      seconds.read(value).map(Optional.some)
    } text: {
      $0.map(seconds.text) ?? absent
    }
  }
}

extension SettingType<String?> {
  /// Nil is the default and cannot be set; documents write it as `absent`.
  /// - Parameter longest: the maximum length, in bytes.
  static func text(or absent: String, longest: Int) -> Self {
    Self(allowed: "string of 1 to \(longest) bytes") { value in
      guard case .string(let text) = value, (1...longest).contains(text.utf8.count) else {
        return nil
      }
      return .some(text)
    } text: {
      $0 ?? absent
    }
  }
}

extension SettingType<UInt64> {
  static let seed = Self(allowed: "whole number, 0 to \(UInt64.max)") { value in
    guard case .integer(let number) = value else { return nil }
    return UInt64(exactly: number)
  } text: {
    "\($0)"
  }
}

extension SettingType<Bool> {
  static let boolean = Self(allowed: "true or false") { value in
    guard case .boolean(let truth) = value else { return nil }
    return truth
  } text: {
    "\($0)"
  }
}

extension SettingType<Set<String>> {
  /// - Parameter standard: the default in documents.
  static func strings(default standard: String) -> Self {
    Self(allowed: "array of strings") { value in
      guard case .array(let entries) = value else { return nil }
      var strings: Set<String> = []
      for entry in entries {
        guard case .string(let text) = entry else { return nil }
        strings.insert(text)
      }
      return strings
    } text: { _ in
      standard
    }
  }
}

extension SettingType
where Value: RawRepresentable<String> & CaseIterable & Sendable {
  package static var choice: Self {
    Self(allowed: "one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")) { value in
      guard case .string(let text) = value else { return nil }
      return Value(rawValue: text)
    } text: {
      $0.rawValue
    }
  }
}
