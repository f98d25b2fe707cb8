/// The section `applinks` of an `apple-app-site-association` file (R8.7).
package struct AssociationFile: Hashable, Sendable {
  /// Options for comparing patterns; nil where the file states none (R8.9).
  package struct Comparison: Hashable, Sendable {
    package var caseSensitive: Bool?
    /// Whether patterns apply to the percent-encoded URL (R8.14).
    package var percentEncoded: Bool?

    package init(caseSensitive: Bool? = nil, percentEncoded: Bool? = nil) {
      self.caseSensitive = caseSensitive
      self.percentEncoded = percentEncoded
    }
  }

  package enum Query: Hashable, Sendable {
    /// For the whole query.
    case whole(LinkPattern)
    /// For the query items with these names (R8.13), sorted by name.
    case items([Item])

    package struct Item: Hashable, Sendable {
      package let name: String
      package let pattern: LinkPattern

      package init(_ name: String, _ pattern: LinkPattern) {
        self.name = name
        self.pattern = pattern
      }
    }
  }

  /// An entry of `components`, or of the older `paths`.
  package struct Component: Hashable, Sendable {
    /// Nil matches anything, also in the other parts (R8.9).
    package var path: LinkPattern?
    package var query: Query?
    package var fragment: LinkPattern?
    package var excludes: Bool
    package var comment: String?
    package var comparison: Comparison
    /// Whether the component comes from `paths`: only the path is compared, unchanged and regardless of the
    /// defaults (R8.16).
    package var isOfPaths: Bool

    package init(
      path: LinkPattern? = nil, query: Query? = nil, fragment: LinkPattern? = nil,
      excludes: Bool = false, comment: String? = nil, comparison: Comparison = Comparison(),
      isOfPaths: Bool = false
    ) {
      self.path = path
      self.query = query
      self.fragment = fragment
      self.excludes = excludes
      self.comment = comment
      self.comparison = comparison
      self.isOfPaths = isOfPaths
    }
  }

  package struct Detail: Hashable, Sendable {
    package var applications: [LinkedApplication]
    package var defaults: Comparison
    package var components: [Component]

    package init(
      _ applications: [LinkedApplication], defaults: Comparison = Comparison(),
      components: [Component]
    ) {
      self.applications = applications
      self.defaults = defaults
      self.components = components
    }

    /// Whether the entry names an application and has a component that includes URLs.
    package var mayMatch: Bool {
      !applications.isEmpty && components.contains { !$0.excludes }
    }
  }

  package var defaults: Comparison
  package var variables: [String: [LinkPattern]]
  package var details: [Detail]

  /// Maximum size in bytes (R8.5).
  package static let largestSize = 128 * 1024
  /// The program that fetches association files.
  package static let fetcher = "launchservices-links"
  /// Path below `https://HOST`, the only location that is queried (R8.5).
  package static let wellKnownPath = "/.well-known/apple-app-site-association"

  package init(
    defaults: Comparison = Comparison(), variables: [String: [LinkPattern]] = [:],
    details: [Detail] = []
  ) {
    self.defaults = defaults
    self.variables = variables
    self.details = details
  }

  /// The applications in the file, without duplicates, in order.
  package var applications: [LinkedApplication] {
    var seen: Set<LinkedApplication> = []
    return details.flatMap(\.applications).filter { seen.insert($0).inserted }
  }
}

/// The full identifier of an application: the prefix of its team and its bundle identifier (R8.18).
package struct LinkedApplication: Hashable, Sendable {
  package let prefix: String
  package let identifier: BundleIdentifier

  package init(prefix: String, identifier: BundleIdentifier) {
    self.prefix = prefix
    self.identifier = identifier
  }

  /// Nil when `text` is not a prefix of letters and digits, a dot and a bundle identifier.
  package init?(_ text: String) {
    guard let dot = text.firstIndex(of: "."), dot > text.startIndex,
      text[..<dot].utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }),
      let identifier = BundleIdentifier.declared(String(text[text.index(after: dot)...]))
    else { return nil }
    prefix = String(text[..<dot])
    self.identifier = identifier
  }
}

extension LinkedApplication: CustomStringConvertible {
  package var description: String { "\(prefix).\(identifier)" }
}
