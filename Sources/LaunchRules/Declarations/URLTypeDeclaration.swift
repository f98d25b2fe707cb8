/// One entry of `CFBundleURLTypes` (R1.1–R1.8), reduced to what is valid in it.
package struct URLTypeDeclaration: Hashable, Sendable {
  /// `CFBundleURLName`; also the key of the localised name (R1.8).
  package var name: String?
  package var role: Role
  /// `LSHandlerRank`; only breaks ties between claims of one scheme.
  package var rank: Rank
  /// The schemes it claims, each once, in the order written.
  package var schemes: [URLScheme]
  /// `CFBundleURLIconFile`.
  package var iconFile: String?

  package init(
    name: String? = nil, role: Role = .viewer, rank: Rank = .default, schemes: [URLScheme],
    iconFile: String? = nil
  ) {
    self.name = name
    self.role = role
    self.rank = rank
    self.schemes = schemes
    self.iconFile = iconFile
  }

  /// `CFBundleTypeRole`. Only `none` plays a part in routing: it is ranked last (R1.6).
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
