/// Expands the references to variables in one text.
struct VariableExpander {
  let definitions: [String: String]
  private(set) var unresolved: [String] = []
  private(set) var cycles: [[String]] = []
  /// The variables that the text names and whose expansion was ended by a limit.
  private(set) var excessive: [String] = []
  /// All variables that the text refers to, directly and through values.
  private(set) var names: Set<String> = []
  /// The variables whose values are being expanded, outermost first.
  private var open: [String] = []
  private var stepsLeft = Self.mostSteps

  /// Limit of all references in a text and in the values.
  static let mostSteps = 1000

  /// References nested deeper than this, by `:default=` or by names, are unchanged.
  static let deepest = 8

  init(definitions: [String: String]) { self.definitions = definitions }

  mutating func expand(_ text: String) -> String {
    var bytes = Array(text.utf8)
    // Names may contain variables, which are expanded first, as in `$(ICON_$(FLAVOR))`.
    for _ in 0..<Self.deepest {
      let expanded = expand(bytes, depth: 0)
      if expanded == bytes { break }
      bytes = expanded
      // Another pass would repeat the text around the cycle.
      if !cycles.isEmpty || !excessive.isEmpty { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func expand(_ text: [UInt8], depth: Int) -> [UInt8] {
    let closing = ClosingBrackets(in: text)
    var result: [UInt8] = []
    var place = 0
    while place < text.count {
      if let reference = VariableReference(in: text, at: place, closing) {
        result += value(of: reference, depth: depth) ?? Array(text[place..<reference.end])
        place = reference.end
      } else {
        result.append(text[place])
        place += 1
      }
    }
    return result
  }

  private mutating func value(of reference: VariableReference, depth: Int) -> [UInt8]? {
    let name = reference.name
    names.insert(name)
    stepsLeft -= 1
    if let first = open.firstIndex(of: name) { record(cycle: open[first...]) }
    guard stepsLeft >= 0, depth < Self.deepest else {
      let outermost = open.first ?? name
      if !excessive.contains(outermost) { excessive.append(outermost) }
      return unresolve(outermost)
    }
    guard !open.contains(name) else { return unresolve(name) }
    var value: [UInt8] = []
    if let definition = definitions[name] {
      open.append(name)
      value = expand(Array(definition.utf8), depth: depth + 1)
      open.removeLast()
    } else if !reference.operators.contains(where: \.isDefault) {
      return unresolve(name)
    }
    for step in reference.operators {
      if !step.isDefault {
        value = Self.apply(step, to: value)
      } else if value.isEmpty {
        value = expand(Array(step.dropFirst("default=".utf8.count)), depth: depth + 1)
      }
    }
    return value
  }

  /// A cycle is found once for each of its variables, and is kept once.
  private mutating func record(cycle: ArraySlice<String>) {
    let names = Set(cycle)
    if !cycles.contains(where: { Set($0) == names }) { cycles.append(Array(cycle)) }
  }

  private mutating func unresolve(_ name: String) -> [UInt8]? {
    if !unresolved.contains(name) { unresolved.append(name) }
    return nil
  }

  private static func apply(_ name: ArraySlice<UInt8>, to value: [UInt8]) -> [UInt8] {
    let text = String(decoding: value, as: UTF8.self)
    return switch String(decoding: name, as: UTF8.self) {
    case "lower": Array(text.lowercased().utf8)
    case "upper": Array(text.uppercased().utf8)
    case "rfc1034identifier": Array(text.identifier(filler: "-").utf8)
    case "identifier", "c99extidentifier": Array(text.identifier(filler: "_").utf8)
    default: value
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate var isDefault: Bool { starts(with: "default=".utf8) }
}

extension String {
  /// Xcode's conversion to an identifier: ASCII letters and digits are kept, except a digit in front; all
  /// other characters become `filler`.
  fileprivate func identifier(filler: Character) -> String {
    var result = ""
    for character in self {
      let stays =
        character.isASCII && (character.isLetter || (character.isNumber && !result.isEmpty))
      result.append(stays ? character : filler)
    }
    return result
  }
}
