internal import FoundationEssentials
internal import LaunchRules

/// A URL for one of the system applications that Apple documents (R9.1–R9.18).
///
/// Routing uses the scheme and the host only (R2.7); this type determines what the application does with the
/// URL, and what `lsopen --explain` prints.
package enum SystemURL: Hashable, Sendable {
  case mailto(MailtoURL)
  case tel(TelURL)
  case faceTime(FaceTimeURL)
  case sms(SMSURL)
  case maps(MapsURL)
  case iTunes(ITunesURL)
  case youTube(YouTubeURL)

  /// The schemes that rules cover, some of them only with certain hosts.
  static let schemes: Set<String> = Set(
    MailtoURL.schemes + TelURL.schemes + FaceTimeURL.schemes + SMSURL.schemes + MapsURL.schemes
      + ITunesURL.schemes + YouTubeURL.schemes)

  /// Nil when no rule covers the URL; throws when the URL violates its rule.
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

  /// Whether a web URL, which need not be valid otherwise, has the host of a system application (R2.12).
  static func hasSpecialHost(_ text: String) -> Bool {
    guard
      let host = URLComponents(string: text, encodingInvalidCharacters: false)?.host.flatMap(
        WebHost.init)
    else { return false }
    return (MapsURL.hosts + ITunesURL.hosts + YouTubeURL.hosts).contains(host.text)
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

  /// Whether the application acts on the URL. False for a telephone number that must not be dialled (R9.6).
  var isActedUpon: Bool {
    switch self {
    case .tel(let url): url.isDialled
    case .mailto, .faceTime, .sms, .maps, .iTunes, .youTube: true
    }
  }
}
