internal import LaunchRules

/// Reads values of all types that a user-info may contain.
extension LenientDictionary {
  /// - Parameter depth: the number of dictionaries and arrays around the values.
  func plainValues(depth: Int) -> [String: PlainValue] {
    var values: [String: PlainValue] = [:]
    for key in keys { values[key] = value(key)?.plainValue(depth: depth) }
    return values
  }
}

extension LenientValue {
  /// Nil, with a warning, for a date, and for a value that is nested too deep.
  func plainValue(depth: Int) -> PlainValue? {
    guard !context.isExhausted else { return nil }
    guard depth <= PlainValue.deepest else {
      context.report(
        .warning, path, "is nested in more than \(PlainValue.deepest) dictionaries and arrays",
        "it was ignored")
      return nil
    }
    if let scalar { return scalar }
    if isArray { return .list(list { $0.plainValue(depth: depth + 1) } ?? []) }
    guard isDictionary else {
      context.report(
        .warning, path, "is a date, which a quick action does not carry",
        "it was ignored: write it as text or as a number of seconds")
      return nil
    }
    return dictionary().map { .dictionary($0.plainValues(depth: depth + 1)) }
  }
}
