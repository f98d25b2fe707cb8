/// A URL for one of the system applications that Apple documents (R9.1–R9.18).
///
/// Routing looks at scheme and host only (R2.7); this is what the receiving side goes by, and what
/// `lsopen --explain` tells.
package enum SystemURL: Hashable, Sendable {
  case mailto(MailtoURL)
  case tel(TelURL)
  case faceTime(FaceTimeURL)
  case sms(SMSURL)
  case maps(MapsURL)
  case iTunes(ITunesURL)
  case youTube(YouTubeURL)

  /// Nil when there is no rule for such URLs; throws what is wrong when there is one.
  package init?(_ text: String) throws(FormatProblem) {
    let parts = try URLParts(text)
    if MailtoURL.covers(parts) {
      self = .mailto(try MailtoURL(text))
    } else if TelURL.covers(parts) {
      self = .tel(try TelURL(text))
    } else if FaceTimeURL.covers(parts) {
      self = .faceTime(try FaceTimeURL(text))
    } else if SMSURL.covers(parts) {
      self = .sms(try SMSURL(text))
    } else if MapsURL.covers(parts) {
      self = .maps(try MapsURL(text))
    } else if ITunesURL.covers(parts) {
      self = .iTunes(try ITunesURL(text))
    } else if YouTubeURL.covers(parts) {
      self = .youTube(try YouTubeURL(text))
    } else {
      return nil
    }
  }

  package var format: any URLFormat {
    switch self {
    case .mailto(let url): url
    case .tel(let url): url
    case .faceTime(let url): url
    case .sms(let url): url
    case .maps(let url): url
    case .iTunes(let url): url
    case .youTube(let url): url
    }
  }

  package var notes: [FormatNote] { format.notes }

  /// The application does something with it. False for a telephone number that must not be dialled
  /// (R9.6).
  package var isActedUpon: Bool {
    switch self {
    case .tel(let url): url.isDialled
    case .mailto, .faceTime, .sms, .maps, .iTunes, .youTube: true
    }
  }

  /// In bytes. To explain a longer one would keep others waiting, and nobody would read it.
  static let longestExplained = 1 << 16

  /// What the rules say about a URL: one line or more, without full stops; none when there is no rule.
  package static func explanation(of text: String) -> [String] {
    guard text.utf8.count <= longestExplained else {
      return ["not looked at: only a URL of at most \(longestExplained) bytes is explained"]
    }
    do throws(FormatProblem) {
      guard let url = try SystemURL(text) else { return [] }
      return [url.format.sentence] + url.notes.map(\.description)
    } catch {
      return ["nothing would be done with it: \(error)"]
    }
  }
}
