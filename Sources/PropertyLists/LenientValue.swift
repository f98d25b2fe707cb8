internal import FoundationEssentials
internal import LaunchRules

/// One value of a property list, converted to the expected type where possible.
///
/// A value of another type is reported and read as nil; other values are not affected.
struct LenientValue {
  private let decoder: any Decoder
  let path: String
  let context: ReadingContext

  init(_ decoder: any Decoder, path: String, context: ReadingContext) {
    self.decoder = decoder
    self.path = path
    self.context = context
    context.spend()
  }

  /// Text with its variables expanded. Numbers are read as text, with a warning.
  /// - Parameter mayBeOpen: whether the text is used although one of its variables has no value.
  func text(mayBeOpen: Bool = false) -> BuildVariables.Expansion? {
    guard !context.isExhausted else { return nil }
    if let text = writtenText {
      let expansion = context.expand(text)
      if !mayBeOpen { context.recordOpen(expansion, at: path) }
      return expansion
    }
    if let number {
      context.report(
        .warning, path, "is a number, but must be text", "it was read as \(number.quoted)")
      return BuildVariables.Expansion(text: number)
    }
    reportKind(expected: "text")
    return nil
  }

  /// Reads a boolean as Apple's tools do: besides true and false, numbers (0 is false) and words such as
  /// `YES`.
  func truth() -> Bool? {
    guard !context.isExhausted else { return nil }
    if let truth = try? decoder.singleValueContainer().decode(Bool.self) { return truth }
    if let number {
      let truth = Double(number) != 0
      context.report(
        .note, path, "is a number, but must be true or false", "it was read as \(truth)")
      return truth
    }
    guard let text = writtenText.map(context.expand) else {
      reportKind(expected: "true or false")
      return nil
    }
    guard let truth = TruthWord.read(text.text) else {
      context.report(
        .warning, path, "is \(text.text.quoted), but must be true or false",
        "it was ignored: write <true/> or <false/>")
      return nil
    }
    context.report(
      .note, path, "is the text \(text.text.quoted), but must be true or false",
      "it was read as \(truth)")
    return truth
  }

  /// The results of `read` for the entries of an array. A single value is read as an array of one entry, with
  /// a warning unless `allowingOne` is true; nil means an empty array.
  ///
  /// The entries are read one by one, because each may be as large as the whole file.
  func list<Entry>(
    allowingOne: Bool = false, _ read: (LenientValue) -> Entry?
  ) -> [Entry]? {
    guard !context.isExhausted else { return [] }
    guard var entries = try? decoder.unkeyedContainer() else {
      if !allowingOne {
        context.report(
          .warning, path, "is \(kind), but must be an array", "it was read as an array of one")
      }
      return read(self).map { [$0] } ?? []
    }
    if entries.isAtEnd { return nil }
    context.spend(values: entries.count ?? 0)
    var list: [Entry] = []
    while !entries.isAtEnd, !context.isExhausted {
      let place = "\(path)[\(entries.currentIndex)]"
      guard let entry = try? entries.superDecoder() else {
        context.report(
          .warning, place, "is damaged", "it and the entries after it were ignored")
        break
      }
      if let entry = read(LenientValue(entry, path: place, context: context)) {
        list.append(entry)
      }
    }
    return list
  }

  func dictionary() -> LenientDictionary? {
    guard !context.isExhausted else { return nil }
    guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
      reportKind(expected: "a dictionary")
      return nil
    }
    return LenientDictionary(container, path: path, context: context)
  }

  /// Text, true or false, a number, or data; nil for any other type.
  var scalar: PlainValue? {
    if let text = writtenText { return .string(context.expand(text).text) }
    guard let container = try? decoder.singleValueContainer() else { return nil }
    if let flag = try? container.decode(Bool.self) { return .boolean(flag) }
    if let number = try? container.decode(Int64.self) { return .integer(number) }
    if let data = try? container.decode(Data.self) {
      context.spend(values: 0, bytes: data.count)
      return .data(Array(data))
    }
    guard let number = try? container.decode(Double.self), number.isFinite else { return nil }
    return .double(number)
  }

  var isArray: Bool { (try? decoder.unkeyedContainer()) != nil }

  var isDictionary: Bool { (try? decoder.container(keyedBy: PropertyListKey.self)) != nil }

  private var writtenText: String? {
    guard let text = try? decoder.singleValueContainer().decode(String.self) else { return nil }
    context.spend(values: 0, bytes: text.utf8.count)
    return text
  }

  private var number: String? {
    guard let container = try? decoder.singleValueContainer() else { return nil }
    if let number = try? container.decode(Int64.self) { return "\(number)" }
    if let number = try? container.decode(Double.self) { return "\(number)" }
    return nil
  }

  private func reportKind(expected: String) {
    context.report(.warning, path, "is \(kind), but must be \(expected)", "it was ignored")
  }

  /// The type of the value, for a diagnostic.
  private var kind: String {
    if writtenText != nil { return "text" }
    if number != nil { return "a number" }
    if (try? decoder.singleValueContainer().decode(Bool.self)) != nil { return "true or false" }
    if let entries = try? decoder.unkeyedContainer() {
      context.spend(values: entries.count ?? 0)
      return "an array"
    }
    if let container = try? decoder.container(keyedBy: PropertyListKey.self) {
      _ = LenientDictionary(container, path: path, context: context)
      return "a dictionary"
    }
    return "data or a date"
  }
}

/// The words for true and false in Apple's property lists, case-insensitive.
enum TruthWord {
  static func read(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "y", "true", "t": true
    case "no", "n", "false", "f": false
    case let other: Int64(other).map { $0 != 0 }
    }
  }
}
