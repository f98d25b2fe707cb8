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
    let notRegistered = "the application was not registered"
    var declaration: ApplicationDeclaration?
    do {
      let decoder = PropertyListDecoder()
      let admitted = try HostileInput.admit(bytes)
      declaration = try decoder.decode(Contents.self, from: Data(admitted), configuration: context)
        .declaration
    } catch let refusal as Refusal {
      context.report(.error, "", refusal.problem, "\(notRegistered): \(refusal.advice)")
    } catch {
      let refusal = Refusal(explaining: error, in: bytes)
      context.report(.error, "", refusal.problem, "\(notRegistered): \(refusal.advice)")
    }
    if context.isExhausted {
      declaration = nil
      context.report(
        .error, "", "the property list stands for far more values than an application declares",
        "\(notRegistered): check where it comes from")
    }
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
