/// A reference such as `$(NAME:lower:default=x)` in a text.
struct VariableReference {
  let name: String
  let operators: [ArraySlice<UInt8>]
  /// The index after the closing bracket.
  let end: Int

  /// Nil when no reference starts at `place`.
  init?(in text: [UInt8], at place: Int, _ closing: ClosingBrackets) {
    guard text[place] == UInt8(ascii: "$"), let close = closing.place(for: place + 1) else {
      return nil
    }
    let start = place + 2
    let nameEnd = text[start..<close].firstIndex { !$0.isVariableNameByte } ?? close
    guard nameEnd > start, nameEnd == close || text[nameEnd] == UInt8(ascii: ":") else {
      return nil
    }
    name = String(decoding: text[start..<nameEnd], as: UTF8.self)
    end = close + 1
    var operators: [ArraySlice<UInt8>] = []
    var first = nameEnd + 1
    var next = first
    while next < close {
      if let inner = closing.place(for: next) {
        next = inner
      } else if text[next] == UInt8(ascii: ":") {
        operators.append(text[first..<next])
        first = next + 1
      }
      next += 1
    }
    if first < close { operators.append(text[first..<close]) }
    self.operators = operators
  }
}

/// The index of the closing bracket of each opening bracket, round and curly brackets separately.
struct ClosingBrackets {
  private var places: [Int: Int] = [:]

  init(in text: [UInt8]) {
    var round: [Int] = []
    var curly: [Int] = []
    for place in text.indices {
      switch text[place] {
      case UInt8(ascii: "("): round.append(place)
      case UInt8(ascii: "{"): curly.append(place)
      case UInt8(ascii: ")"): if let open = round.popLast() { places[open] = place }
      case UInt8(ascii: "}"): if let open = curly.popLast() { places[open] = place }
      default: break
      }
    }
  }

  /// Nil when there is no opening bracket at `place`, or when it is not closed.
  func place(for open: Int) -> Int? { places[open] }
}
