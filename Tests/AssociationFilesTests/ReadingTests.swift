import AssociationFiles
import Foundation
import LaunchRules
import Testing

@Suite("Association files are read") struct ReadingTests {
  private func report(_ text: String) -> [String] {
    AssociationFileReading(Array(text.utf8), at: "aasa").diagnostics.map {
      "\($0.severity.rawValue) \($0.keyPath): \($0.problem); \($0.consequence)"
    }
  }

  @Test(
    "R8.5 or refused as a whole",
    arguments: [
      ("", "it cannot be read as JSON; the file is refused: correct it"),
      (
        #"{"a":1} // no"#,
        "it cannot be read as JSON; the file is refused: JSON has no comments: take out what follows //"
      ),
      (
        "[]", "its top level is an array; the file is refused: write an object with \"applinks\""
      ),
      ("0\u{80}", "it cannot be read as JSON; the file is refused: correct it"),
    ])
  func refused(_ text: String, _ problem: String) {
    #expect(report(text) == ["error : \(problem)"])
  }

  @Test("R8.5 with 128 KB at most, and not signed") func tooLarge() {
    let large = AssociationFileReading(Array(repeating: 0x20, count: 131_073), at: "aasa")
    #expect(large.file == nil)
    #expect(large.diagnostics.first?.problem == "it has 131073 bytes")
    let signed = AssociationFileReading([0x30, 0x82, 1, 2], at: "aasa")
    #expect(signed.diagnostics.first?.problem == "it is signed")
    let deep = String(repeating: "[", count: 60_000)
    #expect(AssociationFileReading(Array(deep.utf8), at: "aasa").file == nil)
  }

  @Test("R8.7 what is odd is left out, with its place and a reason") func odd() {
    #expect(
      report(
        #"{"applinks":{"apps":["x"],"details":[{"appIDs":[" T.a","T.a",7],"components":["#
          + #"{"/":1},{"exclude":"yes"},{"?":[]},7]},{"paths":["*"]},5]}}"#) == [
          "warning applinks.apps: is not empty; it was ignored: write [] (R8.7)",
          "warning applinks.details[0].appIDs[2]: is a number, but must be text; it was ignored",
          "warning applinks.details[0].appIDs[0]: \" T.a\" is not an application identifier; it was"
            + " ignored: write the prefix of the team, a dot, and the bundle identifier (R8.18)",
          "warning applinks.details[0].components[0]./: is a number, but must be text; the"
            + " whole component was ignored",
          "warning applinks.details[0].components[1].exclude: is text, but must be true or false;"
            + " the whole component was ignored",
          "warning applinks.details[0].components[2].?: is an array, but must be text or an"
            + " object; the whole component was ignored",
          "warning applinks.details[0].components[3]: is a number, but must be an object; it was"
            + " ignored",
          "warning applinks.details[1]: names no application; it was ignored: give it \"appIDs\" (R8.7)",
          "warning applinks.details[2]: is a number, but must be an object; it was ignored",
        ])
  }

  @Test("R8.9 R8.15 keys and variables that nobody knows are reported") func unknown() {
    #expect(
      report(
        #"{"applinks":{"detials":1,"defaults":{"caseSensitve":false},"comment":"c","#
          + #""substitutionVariables":{"food":["a"]},"details":[{"appIDs":["T.a"],"appid":"T.b","#
          + #""components":[{"/":"/$(food)/$(lang)/$(nosuch)","exlude":true,"path":"/x"}]}]}}"#)
        == [
          "warning applinks: has the unknown key \"detials\"; it was ignored; known are apps, defaults,"
            + " details, substitutionVariables",
          "warning applinks.defaults: has the unknown key \"caseSensitve\"; it was ignored; known are"
            + " /, ?, #, exclude, caseSensitive, percentEncoded",
          "warning applinks.details[0]: has the unknown key \"appid\"; it was ignored; known are appID,"
            + " appIDs, components, paths, defaults",
          "warning applinks.details[0].components[0]: has the unknown key \"exlude\"; it was ignored;"
            + " known are /, ?, #, exclude, caseSensitive, percentEncoded",
          "warning applinks.details[0].components[0]: has the unknown key \"path\"; it was ignored;"
            + " known are /, ?, #, exclude, caseSensitive, percentEncoded",
          "warning applinks.details[0].components[0]./: the variable \"nosuch\" is not defined; the"
            + " component matches nothing: add it to \"substitutionVariables\" (R8.15)",
        ])
    let many = (0..<500).map { "\"k\($0)\":1" }.joined(separator: ",")
    #expect(report("{\"applinks\":{\"details\":[],\(many)}}").count == 101)
  }

  @Test("R8.7 in the first form, whose details are an object") func firstForm() throws {
    let text = #"{"applinks":{"details":{"T.b":{"paths":["*"]},"T.a":{"paths":["/x"]}}}}"#
    let file = try #require(AssociationFileReading(Array(text.utf8), at: "aasa").file)
    #expect(file.applications.map(\.description) == ["T.a", "T.b"])
  }
}

/// Files of real sites, which lie beside the package where somebody collected them.
enum Corpus {
  static let folder: URL? = {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let override = ProcessInfo.processInfo.environment["LAUNCH_SERVICES_LINKS_CORPUS"]
    let folder =
      override.map { URL(filePath: $0) } ?? package.appending(path: "../shared/corpus/aasa")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  static let names: [String] = {
    let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) }
    return (names ?? []).filter { $0.hasSuffix(".json") }.sorted()
  }()

  static func read(_ name: String) throws -> AssociationFileReading {
    let bytes = Array(try Data(contentsOf: try #require(folder).appending(path: name)))
    return AssociationFileReading(bytes, at: name)
  }
}

@Suite(.enabled(if: Corpus.folder != nil, "the folder of real association files is not here"))
struct `Real association files` {
  @Test("load, or say why not", arguments: Corpus.names)
  func loadOrExplain(_ name: String) throws {
    let reading = try Corpus.read(name)
    #expect((reading.file == nil) == reading.diagnostics.contains { $0.severity == .error })
    #expect(
      (reading.file == nil) == (name == "rapidsnark-js-comments.apple-app-site-association.json"))
    for diagnostic in reading.diagnostics {
      #expect(!diagnostic.problem.isEmpty && !diagnostic.consequence.isEmpty)
    }
  }

  @Test(
    "R8.8 with components and paths that disagree: components count",
    .enabled(if: Corpus.names.contains { $0.hasPrefix("firefly") }, "that file is not here"))
  func firefly() throws {
    let name = try #require(Corpus.names.first { $0.hasPrefix("firefly") })
    let file = try #require(try Corpus.read(name).file)
    let application = try #require(file.applications.first)
    func verdict(_ url: String) throws -> LinkMatch.Verdict {
      file.match(try #require(LinkURL(url)), for: application).verdict
    }
    #expect(try verdict("https://firefly.social/post/1") == .matched)
    #expect(try verdict("https://firefly.social/other") == .notMatched)
    #expect(try verdict("https://firefly.social/post/1#no_universal_links") == .blocked)
  }
}
