import FoundationEssentials

/// The view that a URL requests (R10.2).
enum DeepLink: Equatable {
  /// The full-screen detail of one application of the App Store (R10.4).
  case detail(id: UInt64, region: String)
  /// The Rankings tab, with the filters that the URL sets (R10.5).
  case rankings(Filters)

  /// Nil for a URL that iApp ignores.
  init?(_ url: URL) {
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let scheme = components.scheme?.lowercased(), ["iapp", "iappstore"].contains(scheme),
      ["", "/"].contains(components.path)
    else { return nil }
    // Decoded values are compared exactly: case matters, and `+` is not a space (R10.7).
    func value(_ name: String) -> String? {
      components.queryItems?.first { $0.name == name }?.value
    }
    switch components.host {
    case "app":
      guard let id = value("id").flatMap(Self.trackID) else { return nil }
      self = .detail(
        id: id, region: Self.region(named: value("region"), country: value("country")))
    case "rank":
      self = .rankings(
        Filters(type: value("type"), category: value("category"), region: value("region")))
    default: return nil
    }
  }

  private static func trackID(_ text: String) -> UInt64? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      ? UInt64(text) : nil
  }

  /// The first of these: a known name, the region of the country code (ignoring case), the default (R10.4).
  private static func region(named name: String?, country: String?) -> String {
    if let name, Catalogue.regions.contains(name) { return name }
    return country.flatMap { Catalogue.regionsByCountry[$0.uppercased()] }
      ?? Catalogue.defaultRegion
  }
}

extension DeepLink: CustomStringConvertible {
  var description: String {
    switch self {
    case .detail(let id, let region): "detail \(id) region \(region)"
    case .rankings(let filters): (["rank"] + filters.chosen).joined(separator: " ")
    }
  }
}
