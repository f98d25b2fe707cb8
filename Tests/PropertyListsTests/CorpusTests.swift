import Foundation
import LaunchRules
import PropertyLists
import Testing

/// Real property lists, which lie beside the package where somebody collected them.
enum Corpus {
  static let folder: URL? = {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let override = ProcessInfo.processInfo.environment["LAUNCH_SERVICES_CORPUS"]
    let folder =
      override.map { URL(filePath: $0) } ?? package.appending(path: "../shared/corpus/info-plists")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  static let names: [String] = {
    guard let folder else { return [] }
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".plist") }.sorted()
  }()

  static func read(
    _ name: String, variables: BuildVariables = .none
  ) throws -> PropertyListReading {
    let file = try #require(folder).appending(path: name)
    return InfoPropertyList.read(
      Array(try Data(contentsOf: file)),
      at: BundleLocation(propertyList: "/apps/My.app/Info.plist"), variables: variables)
  }

  /// Values for what the corpus leaves to the build.
  static let variables = BuildVariables([
    "PRODUCT_BUNDLE_IDENTIFIER": "com.example.app", "BUNDLE_IDENTIFIER": "com.example.app",
    "PRODUCT_NAME": "App", "EXECUTABLE_NAME": "App",
  ])
}

@Suite(.enabled(if: Corpus.folder != nil, "the folder of real property lists is not here"))
struct `Real property lists` {
  @Test("load, or say why not", arguments: Corpus.names)
  func loadOrExplain(_ name: String) throws {
    let reading = try Corpus.read(name)
    let errors = reading.diagnostics.filter { $0.severity == .error }
    #expect((reading.declaration == nil) == !errors.isEmpty)
    for diagnostic in reading.diagnostics {
      #expect(!diagnostic.problem.isEmpty && !diagnostic.consequence.isEmpty)
    }
  }

  @Test("with an unexpanded identifier are refused, and load once it is defined")
  func unexpandedIdentifiers() throws {
    var refused = 0
    for name in Corpus.names {
      let reading = try Corpus.read(name)
      guard
        let error = reading.diagnostics.first(where: {
          $0.severity == .error && $0.keyPath == "CFBundleIdentifier"
        })
      else { continue }
      refused += 1
      #expect(reading.declaration == nil)
      #expect(error.consequence.contains("with --define "), "\(name)")
      #expect(error.consequence.contains("BUNDLE_IDENTIFIER=VALUE"), "\(name)")
      let defined = try Corpus.read(name, variables: Corpus.variables)
      #expect(defined.declaration?.identifier.text == "com.example.app", "\(name)")
    }
    #expect(refused > 0)
  }

  @Test(
    "are refused for nothing but an identifier or preprocessor lines", arguments: Corpus.names)
  func refusals(_ name: String) throws {
    let reading = try Corpus.read(name, variables: Corpus.variables)
    let errors = reading.diagnostics.filter { $0.severity == .error }.map(\.problem)
    #expect(
      errors.isEmpty || errors == ["the file contains lines for the C preprocessor, such as #if"])
  }

  @Test(
    "R3.6 the 51 entries of one list are all kept, and the surplus is named",
    .enabled(if: Corpus.names.contains("safe-multisig-ios.Info.plist"), "that file is not here"))
  func longList() throws {
    let reading = try Corpus.read("safe-multisig-ios.Info.plist", variables: Corpus.variables)
    #expect(reading.declaration?.queriesSchemes.count == 51)
    #expect(reading.declaration?.queriesSchemes.last == "zel")
    #expect(reading.diagnostics.contains { $0.consequence.hasSuffix("and \"zel\"") })
  }
}
