/// The valid contents of one entry of `CFBundleURLTypes` (R1.1–R1.8).
package struct URLTypeDeclaration: Hashable, Sendable {
  /// `CFBundleURLName`, also the key of the localized name (R1.8).
  package var name: String?
  package var role: Role
  /// `LSHandlerRank`; orders only claims of the same scheme.
  package var rank: Rank
  /// For a claim of a desktop entry: the place of the application among the desktop applications for these schemes, 0 for
  /// the desktop's default. Nil for a claim of a property list.
  package var desktopOrder: Int?
  /// The claimed schemes, without duplicates, in the order of the property list.
  package var schemes: [URLScheme]
  /// The schemes that the property list spells with capital letters, in its spelling.
  package var spellings: [String]
  /// `CFBundleURLIconFile`.
  package var iconFile: String?

  package init(
    name: String? = nil, role: Role = .viewer, rank: Rank = .default, schemes: [URLScheme],
    spellings: [String] = [], iconFile: String? = nil, desktopOrder: Int? = nil
  ) {
    self.name = name
    self.role = role
    self.rank = rank
    self.schemes = schemes
    self.spellings = spellings
    self.iconFile = iconFile
    self.desktopOrder = desktopOrder
  }

  /// `CFBundleTypeRole`. The role `none` is ranked last; the other roles are equal (R1.6).
  package enum Role: String, Hashable, Sendable, CaseIterable {
    case editor = "Editor"
    case viewer = "Viewer"
    case shell = "Shell"
    case quickLookGenerator = "QLGenerator"
    case none = "None"
  }

  /// `LSHandlerRank`, best first.
  package enum Rank: String, Hashable, Sendable, CaseIterable {
    case owner = "Owner"
    case `default` = "Default"
    case alternate = "Alternate"
    case none = "None"
  }
}

extension ApplicationDeclaration {
  /// The spelling of a claimed scheme in the property list; nil for one in lower case.
  package func spelling(of scheme: URLScheme) -> String? {
    urlTypes.lazy.flatMap(\.spellings).first { $0.lowercased() == scheme.text }
  }
}
