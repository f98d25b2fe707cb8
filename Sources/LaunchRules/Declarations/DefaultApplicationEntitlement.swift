/// An entitlement that lets the user choose an iOS application instead of a system application
/// (R2.9).
package enum DefaultApplicationEntitlement: String, Hashable, Sendable, CaseIterable {
  case webBrowser = "com.apple.developer.web-browser"
  case mailClient = "com.apple.developer.mail-client"
  case callingApp = "com.apple.developer.calling-app"
  case messagingApp = "com.apple.developer.messaging-app"
  case navigationApp = "com.apple.developer.navigation-app"

  /// The schemes for which the user may choose the application.
  package var schemes: Set<URLScheme> { Self.table[self]?.schemes ?? [] }
  /// The schemes that the application must claim for the entitlement to be effective; all are required.
  package var requiredClaims: Set<URLScheme> { Self.table[self]?.required ?? [] }
  /// The number of the rule, such as `R1.44`.
  package var rule: String { Self.table[self]?.rule ?? "" }

  private struct Row {
    let rule: String
    let schemes: Set<URLScheme>
    let required: Set<URLScheme>

    init(_ rule: String, _ schemes: [String], requires: [String] = []) {
      self.rule = rule
      self.schemes = Set(schemes.compactMap(URLScheme.init))
      required = Set(requires.compactMap(URLScheme.init))
    }
  }

  private static let table: [Self: Row] = [
    .webBrowser: Row("R1.44", ["http", "https"], requires: ["http", "https"]),
    .mailClient: Row("R1.45", ["mailto"], requires: ["mailto"]),
    .callingApp: Row("R1.46", ["tel"]),
    // `sms` stays with Messages: R2.10 allows another default application for `im` only.
    .messagingApp: Row("R1.47", ["im"], requires: ["im"]),
    .navigationApp: Row("R1.48", ["maps"]),
  ]

  /// The entitlement for a scheme; nil when the system application of the scheme cannot be replaced.
  package init?(for scheme: URLScheme) {
    guard let found = Self.allCases.first(where: { $0.schemes.contains(scheme) }) else {
      return nil
    }
    self = found
  }
}

extension ApplicationDeclaration {
  /// The required claims that the application lacks, sorted; empty when the entitlement is effective.
  package func missingClaims(for entitlement: DefaultApplicationEntitlement) -> [URLScheme] {
    entitlement.requiredClaims.subtracting(urlTypes.flatMap(\.schemes)).sorted()
  }

  /// Whether the user may choose the application for a scheme of a system application: any application of macOS
  /// (T2.2), and one of iOS with the entitlement (R2.9).
  package func mayBeChosen(for scheme: URLScheme) -> Bool {
    platform == .macOS || isEntitled(to: scheme)
  }

  /// Whether its entitlements permit the choice for a scheme of a system application.
  package func isEntitled(to scheme: URLScheme) -> Bool {
    entitlements.contains { $0.schemes.contains(scheme) && missingClaims(for: $0).isEmpty }
  }
}
