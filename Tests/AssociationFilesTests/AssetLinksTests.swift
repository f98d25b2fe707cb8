import AssociationFiles
import LaunchRules
import Testing

@Suite struct AssetLinksTests {
  static let fingerprint = (0..<32).map { _ in "0F" }.joined(separator: ":")
  static let relation = #""relation":["delegate_permission/common.handle_all_urls"]"#

  static func statement(
    _ relation: String = relation, package: String = "com.example.app",
    _ print: String = fingerprint
  )
    -> String
  {
    #"{\#(relation),"target":{"namespace":"android_app","package_name":"\#(package)","sha256_cert_fingerprints":["\#(print)"]}}"#
  }

  private func read(_ text: String) -> AssetLinksReading {
    AssetLinksReading(Array(text.utf8), at: "f")
  }

  @Test("a sound file names its packages")
  func sound() {
    let reading = read(
      "[\(Self.statement()), {\(Self.relation), \"target\":{\"namespace\":\"web\",\"site\":\"https://a.com\"}}]"
    )
    #expect(reading.packages == ["com.example.app"])
    #expect(reading.diagnostics == [])
  }

  static let mistakes: [(String, String)] = [
    ("[\n{\"a\" 1}]", ": it cannot be read as JSON"),
    ("{\"statements\":[],\"maxAge\":\"1s\"}", ": it has the form of the answer of Google's API"),
    ("{}", ": its top level is an object"), ("[1]", "[0]: is a number"),
    ("[{}]", "[0].relation: is missing or no array"),
    (
      "[\(statement(#""relation":["delegate_permission/common.handle_all_url"]"#))]",
      "[0].relation: is \"delegate_permission/common.handle_all_url\""
    ),
    ("[{\(relation)}]", "[0].target: is missing or no object"),
    ("[{\(relation),\"target\":{\"namespace\":\"ios\"}}]", "[0].target.namespace: is neither"),
    ("[\(statement(package: "app"))]", "[0].target.package_name: is not the name of a package"),
    (
      "[\(statement(relation, fingerprint.lowercased()))]",
      "[0].target.sha256_cert_fingerprints[0]: has small letters"
    ),
    (
      "[\(statement(relation, "AB:CD"))]",
      "[0].target.sha256_cert_fingerprints[0]: is not a SHA-256"
    ),
    ("[]", ": no statement lets an application handle URLs"),
  ]

  @Test("each mistake is named", arguments: mistakes)
  func mistake(text: String, problem: String) {
    let reading = read(text)
    #expect(reading.packages == [])
    #expect(
      reading.diagnostics.contains { "\($0.keyPath): \($0.problem)".contains(problem) },
      "\(reading.diagnostics)")
  }
}
