/// Finds the lines of build settings in `project.pbxproj`, in the layout in which Xcode writes the file. In another
/// layout no line is found; the values do not depend on it.
struct ProjectLines {
  private let lines: [Substring]
  /// The line of each object: an index of `lines`.
  private var objects: [Substring: Int] = [:]

  init(_ bytes: [UInt8]) {
    lines = String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() where line.hasSuffix("= {") {
      guard let name = line.trimmed.split(separator: " ", maxSplits: 1).first else { continue }
      if objects[name] == nil { objects[name] = index }
    }
  }

  /// The line of a key in an object, from 1.
  func line(of key: String, in object: String) -> Int? {
    guard let start = objects[object[...]] else { return nil }
    let margin = lines[start].prefix(while: \.isWhitespace)
    for index in lines.indices.dropFirst(start + 1) {
      let line = lines[index]
      if line.hasPrefix(margin + "};") { return nil }
      let text = line.trimmed
      if text.hasPrefix("\(key) =") || text.hasPrefix("\"\(key)\" =") { return index + 1 }
    }
    return nil
  }
}
