internal import FoundationEssentials
internal import LaunchRules

/// A dictionary of a property list. Only requested keys are read.
struct LenientDictionary {
  private let container: KeyedDecodingContainer<PropertyListKey>
  private let path: String
  private let context: ReadingContext

  init(
    _ container: KeyedDecodingContainer<PropertyListKey>, path: String, context: ReadingContext
  ) {
    self.container = container
    self.path = path
    self.context = context
    let keys = container.allKeys
    context.spend(values: keys.count, bytes: keys.reduce(0) { $0 + $1.stringValue.utf8.count })
  }

  /// In alphabetical order, because the decoder does not keep the order of the file.
  var keys: [String] { container.allKeys.map(\.stringValue).sorted() }

  func contains(_ key: String) -> Bool {
    if path.isEmpty { context.recordRead(key) }
    return container.contains(PropertyListKey(key))
  }

  func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Nil when the key is missing, its value is damaged, or the limit of contents is exceeded.
  func value(_ key: String) -> LenientValue? {
    let name = PropertyListKey(key)
    if path.isEmpty { context.recordRead(key) }
    guard !context.isExhausted, container.contains(name) else { return nil }
    guard let decoder = try? container.superDecoder(forKey: name) else {
      context.report(.warning, path(of: key), "is damaged", "it was ignored")
      return nil
    }
    return LenientValue(decoder, path: path(of: key), context: context)
  }

  /// Nil for a missing or empty text, and, with a warning, for a text with unresolved variables.
  func text(_ key: String) -> String? {
    guard let expansion = contains(key) ? value(key)?.text() : generatedText(key) else {
      return nil
    }
    guard expansion.unresolved.isEmpty else {
      context.report(
        .warning, path(of: key),
        "\(expansion.text.quoted) contains \(expansion.unresolvedPhrase)",
        "the key was ignored: \(expansion.remedy)")
      return nil
    }
    guard !expansion.text.isEmpty else {
      context.report(.note, path(of: key), "is empty", "the key was ignored")
      return nil
    }
    return expansion.text
  }

  /// The text of a missing key that Xcode adds to the property list; nil for none.
  func generatedText(_ key: String) -> BuildVariables.Expansion? {
    guard path.isEmpty, let expansion = context.variables.generatedText(key) else { return nil }
    context.recordOpen(expansion, at: key)
    return expansion
  }

  /// False when the key is missing.
  func truth(_ key: String) -> Bool {
    if contains(key) { return value(key)?.truth() ?? false }
    return generatedText(key).flatMap { TruthWord.read($0.text) } ?? false
  }

  /// The results of `read` for the entries of an array; empty when the key is missing.
  /// - Parameter allowingOne: whether a single value may replace an array of one entry.
  func list<Entry>(
    _ key: String, allowingOne: Bool = false, _ read: (LenientValue) -> Entry?
  ) -> [Entry] {
    guard let value = value(key) else { return [] }
    if let list = value.list(allowingOne: allowingOne, read) { return list }
    context.report(.note, path(of: key), "is an empty array", "it was read as absent")
    return []
  }

  func dictionary(_ key: String) -> LenientDictionary? { value(key)?.dictionary() }
}

/// Any key of a property list.
struct PropertyListKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
