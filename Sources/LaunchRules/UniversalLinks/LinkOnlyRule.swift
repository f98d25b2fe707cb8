/// Opens that succeed only as universal links (R4.7).
extension LinkRule {
  /// The failure for a URL that cannot be a universal link.
  package static func noLink(_ scheme: URLScheme) -> OpenFailure {
    .applicationNotFound(
      scheme.isWeb
        ? "a URL without a host, or with another port than that of \(scheme), is no universal link"
        : "only http and https URLs are universal links, and this one is of the scheme \(scheme)")
  }
}

extension LinkRule.Decision {
  /// The application that receives the URL. With a designated application, that application if it may receive
  /// the URL.
  package func application(_ designated: BundleIdentifier?) -> InstalledApplication? {
    guard case .application(let first) = outcome else { return nil }
    guard let designated else { return first }
    return considered.first {
      if case .opens = $0.verdict { $0.claim.application.identifier == designated } else { false }
    }?.claim.application
  }

  /// The failure when no application, or not the designated one, receives the URL.
  package func failure(_ designated: BundleIdentifier?) -> OpenFailure {
    let asked = considered.filter {
      designated == nil || $0.claim.application.identifier == designated
    }
    let reason =
      if case .ownDomain = outcome {
        sentence
      } else if let chosen = asked.first(where: { $0.verdict == .userChoseBrowser }) {
        chosen.sentence
      } else if let designated {
        asked.first?.sentence ?? "\(designated) does not declare the host"
      } else {
        "no application gets this URL"
      }
    return .applicationNotFound("not opened as a universal link: \(reason)")
  }
}
