internal import FoundationEssentials
package import LaunchRules

/// The entitlements of an application that affect routing (R1.44–R1.48, R8.1).
package struct Entitlements: Hashable, Sendable {
  /// Empty when the file cannot be read.
  package private(set) var defaults: Set<DefaultApplicationEntitlement> = []
  /// In the order of the file.
  package private(set) var associatedDomains: [AssociatedDomain] = []
  /// Such as `ABCDE12345.com.example.app`; association files contain this prefix (R8.18).
  private var applicationIdentifier: LinkedApplication?
  private var teamIdentifier: String?
  /// In the order of their detection.
  package let diagnostics: [Diagnostic]
  /// The variables without a value in the keys that are read, each once.
  package private(set) var openVariables: [OpenVariable] = []

  /// Maximum size of the file, in bytes; larger files are refused.
  package static let largestSize = 1 << 18

  /// Reads XML and binary property lists.
  package init(_ bytes: [UInt8], at path: String, variables: BuildVariables = .none) {
    let context = ReadingContext(
      location: BundleLocation(propertyList: path), variables: variables)
    let contents = context.decode(
      Contents.self,
      failure: .init(
        consequence: Self.consequence,
        excess: "it expands to far more values than an application has",
        explain: { Refusal(explaining: $0, in: bytes) })
    ) { () throws(Refusal) in try HostileInput.admit(bytes) }
    if let contents {
      defaults = contents.defaults
      associatedDomains = contents.associatedDomains
      applicationIdentifier = contents.applicationIdentifier
      teamIdentifier = contents.teamIdentifier
    }
    diagnostics = context.finish()
    openVariables = context.openVariables
  }

  /// The entitlements of a file that cannot be read.
  package init(unreadable path: String, _ problem: String) {
    diagnostics = [.unreadable(path, problem, Self.consequence)]
  }

  /// Nil without an application identifier of this application and without a team identifier.
  package func team(of application: BundleIdentifier) -> String? {
    applicationIdentifier.flatMap { $0.identifier == application ? $0.prefix : nil }
      ?? teamIdentifier
  }

  private static let consequence = "the application has no entitlements"

  /// The top level of the file, for the decoder.
  private struct Contents: DecodableWithConfiguration {
    let defaults: Set<DefaultApplicationEntitlement>
    let associatedDomains: [AssociatedDomain]
    let applicationIdentifier: LinkedApplication?
    let teamIdentifier: String?

    init(from decoder: any Decoder, configuration context: ReadingContext) throws {
      guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
        throw Refusal(
          problem: "the top level of the file is not a readable dictionary",
          advice: "put the entitlements into one <dict>")
      }
      let top = LenientDictionary(container, path: "", context: context)
      defaults = Set(
        DefaultApplicationEntitlement.allCases.filter { top.truth($0.rawValue) })
      associatedDomains = top.associatedDomains(context)
      // The keys of iOS and of macOS.
      applicationIdentifier =
        ["application-identifier", "com.apple.application-identifier"].lazy
        .compactMap(top.signedText).compactMap { LinkedApplication($0) }.first
      teamIdentifier = top.signedText("com.apple.developer.team-identifier").flatMap {
        $0.isTeam ? $0 : nil
      }
    }
  }
}

extension LenientDictionary {
  /// Nil when the text contains variables that only signing replaces, as in the files of a source tree.
  fileprivate func signedText(_ key: String) -> String? {
    value(key)?.text(mayBeOpen: true).flatMap { $0.unresolved.isEmpty ? $0.text : nil }
  }
}

extension Entitlements {
  /// Reports entitlements that do not count, because the application does not claim the required schemes or
  /// types.
  package static func diagnostics(
    of declaration: ApplicationDeclaration, at path: String
  ) -> [Diagnostic] {
    declaration.entitlements.sorted { $0.rawValue < $1.rawValue }.compactMap { entitlement in
      let missing = declaration.missingClaims(for: entitlement).map(\.text)
      guard !missing.isEmpty else { return nil }
      return Diagnostic(
        .warning, file: path, keyPath: entitlement.rawValue,
        problem: "the application does not claim \(listed(missing))",
        consequence: "the entitlement does not count: claim it in CFBundleURLTypes"
          + " (\(entitlement.rule))")
    }
  }
}
