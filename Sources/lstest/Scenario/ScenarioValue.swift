internal import KeyLines
internal import Reports
internal import StubApplications

/// Collects the problems of a scenario file while it is read.
final class ScenarioReading {
  /// The path of the file for messages.
  let file: String
  private let lines: KeyLines
  private(set) var problems: [ScenarioProblem] = []

  init(file: String, lines: KeyLines) {
    self.file = file
    self.lines = lines
  }

  func place(of key: String) -> Report.Place { Report.Place(file, line: lines.line(of: key)) }

  func report(_ key: String, _ sentence: String) {
    problems.append(ScenarioProblem(place: place(of: key), key: key, sentence: sentence))
  }
}

/// One value of a scenario file. Each conversion reports a value of another type.
struct ScenarioValue {
  let tree: PropertyTree
  /// The path of its key, such as `steps[2].expect`.
  let key: String
  let reading: ScenarioReading

  var place: Report.Place { reading.place(of: key) }

  func report(_ sentence: String) { reading.report(key, sentence) }

  /// A problem that is found later.
  /// - Parameter path: of a value in this one, such as `define.ID`; empty for this value.
  func problem(_ path: String, _ sentence: String) -> ScenarioProblem {
    let key = self.path(path)
    return ScenarioProblem(place: reading.place(of: key), key: key, sentence: sentence)
  }

  /// The place of a value in this one, or of what is around it.
  func place(of path: String) -> Report.Place { reading.place(of: self.path(path)) }

  private func path(_ path: String) -> String {
    path.isEmpty ? key : key.isEmpty ? path : "\(key).\(path)"
  }

  /// Text; nil, with a problem, for another type and for an empty text.
  func text() -> String? {
    guard let text = tree.asString else {
      report("is \(tree.kind), but must be text")
      return nil
    }
    guard !text.isEmpty else {
      report("is empty")
      return nil
    }
    return text
  }

  func flag() -> Bool? {
    if tree.asBoolean == nil { report("is \(tree.kind), but must be true or false") }
    return tree.asBoolean
  }

  /// One text, or an array of texts.
  func texts() -> [String] {
    tree.asArray == nil ? text().map { [$0] } ?? [] : elements().compactMap { $0.text() }
  }

  func elements() -> [ScenarioValue] {
    guard let list = tree.asArray else {
      report("is \(tree.kind), but must be an array")
      return []
    }
    return list.enumerated().map { index, tree in
      ScenarioValue(tree: tree, key: "\(key)[\(index)]", reading: reading)
    }
  }

  /// The entries of a dictionary with any keys, sorted.
  func entries() -> [(name: String, value: ScenarioValue)] {
    guard let entries = tree.asDictionary else {
      report("is \(tree.kind), but must be a dictionary")
      return []
    }
    return entries.sorted { $0.key < $1.key }.map { ($0.key, value(of: $0.key, $0.value)) }
  }

  private func value(of name: String, _ tree: PropertyTree) -> ScenarioValue {
    ScenarioValue(tree: tree, key: key.isEmpty ? name : "\(key).\(name)", reading: reading)
  }

  /// A dictionary whose keys are known; reports all others.
  func keys<Key: ScenarioKey>(_ type: Key.Type) -> [Key: ScenarioValue]? {
    guard let entries = tree.asDictionary else {
      report("is \(tree.kind), but must be a dictionary")
      return nil
    }
    var values: [Key: ScenarioValue] = [:]
    for (name, tree) in entries.sorted(by: { $0.key < $1.key }) {
      let value = value(of: name, tree)
      if let key = Key(rawValue: name) {
        values[key] = value
      } else {
        value.report("is not a key here; the keys are \(Key.names)")
      }
    }
    return values
  }

  /// A word of an enumeration.
  func word<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> Word? {
    guard let text = text() else { return nil }
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      report("'\(text)' is not a value here; the values are \(known)")
      return nil
    }
    return word
  }
}

/// The keys of one kind of dictionary in a scenario.
protocol ScenarioKey: RawRepresentable<String>, CaseIterable, Hashable {}

extension ScenarioKey {
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
