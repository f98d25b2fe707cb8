/// A link of the iTunes store, made by its Link Maker; opaque and passed on unchanged (R9.17).
package struct ITunesURL: URLFormat {
  package static let schemes = ["http", "https"]
  /// The last two are the current hosts (R2.12).
  package static let hosts = [
    "phobos.apple.com", "itunes.apple.com", "apps.apple.com", "music.apple.com",
  ]

  /// The URL as given.
  package let link: String
  package var notes: [FormatNote] { [] }

  package init(_ parts: URLParts) throws(FormatProblem) { link = parts.text }

  package var sentence: String {
    "shows an item of the iTunes store; the link is passed on unchanged"
  }
}
