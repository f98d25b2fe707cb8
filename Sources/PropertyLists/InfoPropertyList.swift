internal import FoundationEssentials
package import LaunchRules

/// The reader of `Info.plist` files and loose property lists, XML or binary.
package enum InfoPropertyList {
  /// In bytes; larger files are refused. The largest real one we know has 67 KB.
  package static let largestSize = 4 << 20

  /// Never fails as a whole without saying why: when `declaration` is nil, `diagnostics` holds an
  /// error.
  package static func read(
    _ bytes: [UInt8], at location: BundleLocation, variables: BuildVariables = .none,
    isSystem: Bool = false
  ) -> PropertyListReading {
    let context = ReadingContext(location: location, variables: variables, isSystem: isSystem)
    let declaration = context.decode(
      Contents.self,
      failure: .init(
        severity: .error, consequence: "the application was not registered",
        excess: "the property list stands for far more values than an application declares",
        explain: { Refusal(explaining: $0, in: bytes) })
    ) { () throws(Refusal) in try HostileInput.admit(bytes) }?.declaration
    return PropertyListReading(declaration: declaration, diagnostics: context.finish())
  }

  /// The decoder's way in: the top level of the property list.
  private struct Contents: DecodableWithConfiguration {
    let declaration: ApplicationDeclaration?

    init(from decoder: any Decoder, configuration context: ReadingContext) throws {
      guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
        throw Refusal(
          problem: "the top level of the property list is not a readable dictionary",
          advice: "put the keys of the application into one <dict>")
      }
      declaration = ApplicationDeclaration(
        reading: LenientDictionary(container, path: "", context: context), context)
    }
  }
}

/// What one property list gave: a declaration, or the reasons why not, and everything odd in it.
package struct PropertyListReading: Hashable, Sendable {
  /// Nil when the application cannot be registered.
  package var declaration: ApplicationDeclaration?
  /// In the order met.
  package var diagnostics: [Diagnostic]
}
