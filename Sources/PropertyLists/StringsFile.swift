internal import FoundationEssentials
package import LaunchRules

/// `InfoPlist.strings`: the texts of an application in one language (R1.8).
package struct StringsFile: Hashable, Sendable {
  /// The localized values of the property list, by key. Empty when the file cannot be read.
  package private(set) var texts: [String: String] = [:]
  /// In the order of their detection.
  package let diagnostics: [Diagnostic]

  /// Maximum size of the file, in bytes; larger files are refused.
  package static let largestSize = 1 << 18

  /// Reads all forms that Foundation reads: `"KEY" = "TEXT";` lines, XML and binary.
  package init(_ bytes: [UInt8], at path: String) {
    let context = ReadingContext(location: BundleLocation(propertyList: path), variables: .none)
    let contents = context.decode(
      Contents.self,
      failure: .init(
        consequence: Self.consequence,
        excess: "it expands to far more texts than an application has",
        explain: {
          HostileInput.isOldStyle(bytes) ? Self.refusal($0) : Refusal(explaining: $0, in: bytes)
        })
    ) { () throws(Refusal) in try HostileInput.admitStrings(bytes) }
    texts = contents?.texts ?? [:]
    diagnostics = context.finish()
  }

  /// The result for a file that cannot be read.
  package init(unreadable path: String, _ problem: String) {
    diagnostics = [.unreadable(path, problem, Self.consequence)]
  }

  private static func refusal(_ error: any Error) -> Refusal {
    Refusal(
      problem: "it is not a strings file (the decoder says: \(Refusal.words(of: error)))",
      advice: "correct it; each line is \"KEY\" = \"TEXT\";")
  }

  private static let consequence = "the texts of this language are not used"

  /// The top level of the file, for the decoder.
  private struct Contents: DecodableWithConfiguration {
    var texts: [String: String] = [:]

    init(from decoder: any Decoder, configuration context: ReadingContext) throws {
      guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
        throw Refusal(
          problem: "it contains no keys", advice: "write \"KEY\" = \"TEXT\"; lines into it")
      }
      let top = LenientDictionary(container, path: "", context: context)
      for key in top.keys { texts[key] = top.text(key) }
    }
  }
}
