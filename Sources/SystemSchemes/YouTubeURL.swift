internal import LaunchRules

/// `http://www.youtube.com/watch?v=ID` or `http://www.youtube.com/v/ID`: a video to play (R9.18).
package struct YouTubeURL: URLFormat {
  package static let schemes = ["http", "https"]
  package static let hosts = ["www.youtube.com"]

  /// Nil for another page, which is shown unchanged.
  package let video: String?
  package let notes: [FormatNote]

  package init(_ parts: URLParts) throws(FormatProblem) {
    var notes = parts.notes
    let identifier = Self.identifier(parts)
    video = identifier.flatMap { Self.isIdentifier($0) ? $0 : nil }
    if let identifier, video == nil {
      notes.add(
        "video", "\(identifier.quoted) is no identifier of a video; the page is shown as it is")
    }
    self.notes = notes.list
  }

  package var sentence: String {
    video.map { "plays the video \($0.quoted)" } ?? "shows a page of YouTube; it names no video"
  }

  private static func identifier(_ parts: URLParts) -> String? {
    if parts.path == "/watch" { return (parts.query ?? []).first { $0.name == "v" }?.value }
    guard parts.path.hasPrefix("/v/") else { return nil }
    let rest = parts.path.dropFirst("/v/".count)
    return String(rest.hasSuffix("/") ? rest.dropLast() : rest)
  }

  private static func isIdentifier(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
