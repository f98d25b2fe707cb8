import DesktopEntries
import LaunchRules
import SeededRandom
import Testing

/// Lists nobody would write, and what people write, too.
private struct MadeLists {
  var random: SplitMix64

  private static let lines = [
    "[Default Applications]", " [Default Applications] ", "[Default Applications]\r",
    "[Added Associations]", "[Unknown Group]", "[x-scheme-handler/a]",
    "x-scheme-handler/a=one.desktop", "x-scheme-handler/a = one.desktop;two.desktop; ",
    "\tx-scheme-handler/b=two.desktop;\r", "x-scheme-handler/a=", "x-scheme-handler/c=;",
    "x-scheme-handler/a[de]=fremd.desktop", "text/html=web.desktop", "key with blanks=\\s\\n",
    "# a comment", "#[Default Applications]", "#x-scheme-handler/a=x", "  # moved in", "", " ",
    "\r",
  ]

  /// Nil stands for no file.
  mutating func next() -> String? {
    if Int.random(in: 0..<20, using: &random) == 0 { return nil }
    let count = Int.random(in: 0..<20, using: &random)
    var lines = (0..<count).map { _ in Self.lines.randomElement(using: &random) ?? "" }
    // A key before any group is no list.
    if let first = lines.firstIndex(where: { $0.contains("=") && !$0.contains("#") }),
      !lines[..<first].contains(where: { $0.drop { $0 == " " }.hasPrefix("[") })
    {
      lines.insert("[Default Applications]", at: first)
    }
    // GLib takes a carriage return for a part of the line unless a line feed follows.
    let endsLast = lines.last?.hasSuffix("\r") == true || Bool.random(using: &random)
    return lines.joined(separator: "\n") + (endsLast ? "\n" : "")
  }
}

@Suite struct `A mimeapps.list of any kind` {
  private static let file = "org.launchservices.handler.com.example.a.desktop"

  /// One run of the tool: what it does to the file and to the record of it.
  private func run(
    _ state: (bytes: [UInt8]?, record: MimeAppsRecord?), _ change: (inout MimeAppsList) -> Void
  ) throws -> (bytes: [UInt8]?, record: MimeAppsRecord?) {
    var list = try MimeAppsList(state.bytes, record: state.record)
    change(&list)
    return (list.bytes, list.record)
  }

  private func text(_ bytes: [UInt8]?) -> String? {
    bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Without blank ones.
  private func lines(_ bytes: [UInt8]?) -> [String] {
    (bytes ?? []).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("comes back byte for byte, keeps every other line, and is changed once")
  func roundTrip() throws {
    let seed = UInt64.random(in: 0...(.max))
    var lists = MadeLists(random: SplitMix64(seed: seed))
    let schemes = try ["a", "b", "c", "new"].map(scheme)
    for number in 0..<3_000 {
      let list = lists.next()
      let comment: Comment = "seed \(seed), list \(number): \(list.debugDescription)"
      let before = list.map { Array($0.utf8) }
      var state: (bytes: [UInt8]?, record: MimeAppsRecord?) = (before, nil)
      for _ in 0..<Int.random(in: 1...3, using: &lists.random) {
        let chosen = schemes.filter { _ in Bool.random(using: &lists.random) }
        state = try run(state) { list in
          for scheme in chosen { list.prefer(Self.file, for: scheme) }
        }
        let again = try run(state) { list in
          for scheme in chosen { list.prefer(Self.file, for: scheme) }
        }
        #expect(again.bytes == state.bytes && again.record == state.record, comment)
        // No line before is moved or taken away but those of the schemes, which are changed.
        let kept = lines(before).difference(from: lines(state.bytes)).insertions
        #expect(
          kept.allSatisfy { change in
            if case .insert(_, let line, _) = change {
              line.contains("x-scheme-handler/")
            } else {
              false
            }
          }, comment)
      }
      for scheme in schemes where Bool.random(using: &lists.random) {
        state = try run(state) { $0.giveBack(scheme) }
      }
      state = try run(state) { list in
        for scheme in list.ours { list.giveBack(scheme) }
      }
      #expect(text(state.bytes) == list, comment)
      #expect(state.record == nil, comment)
    }
  }
}
