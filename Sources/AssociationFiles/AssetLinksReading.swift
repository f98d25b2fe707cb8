internal import FoundationEssentials
package import LaunchRules

/// The contents of Android's `assetlinks.json`: the applications that may handle the URLs of the site, and what is wrong
/// with the statements.
package struct AssetLinksReading: Hashable, Sendable {
  /// The packages with a usable statement, in the order of the file.
  package private(set) var packages: [String] = []
  package private(set) var diagnostics: [Diagnostic] = []
  private let path: String

  private static let relation = "delegate_permission/common.handle_all_urls"
  private static let mostStatements = 1000

  /// - Parameters:
  ///   - path: names the file in diagnostics.
  ///   - findsMistakes: whether a diagnostic says where the file stops being JSON, which takes time.
  package init(_ bytes: [UInt8], at path: String, findsMistakes: Bool = false) {
    self.path = path
    read(bytes, findsMistakes: findsMistakes)
  }

  private mutating func read(_ bytes: [UInt8], findsMistakes: Bool) {
    let value: JSONValue
    do throws(JSONRefusal) {
      value = try JSONValue.read(bytes, findsMistakes: findsMistakes)
    } catch {
      return report(.error, "", error.problem, error.consequence)
    }
    guard case .list(let statements) = value else {
      if case .object(let object) = value, object["statements"] != nil {
        return report(
          .error, "", "it has the form of the answer of Google's API, with \"statements\"",
          "the file is refused: publish the array of statements alone")
      }
      return report(
        .error, "", "its top level is \(value.kind)", "the file is refused: write an array")
    }
    for (index, statement) in statements.prefix(Self.mostStatements).enumerated() {
      read(statement, "[\(index)]")
    }
    if packages.isEmpty, !diagnostics.contains(where: { $0.severity == .error }) {
      report(
        .warning, "", "no statement lets an application handle URLs",
        "links open in the browser: add a statement with \(Self.relation)")
    }
  }

  private mutating func report(
    _ severity: Diagnostic.Severity, _ keyPath: String, _ problem: String, _ consequence: String
  ) {
    diagnostics.append(
      Diagnostic(
        severity, file: path, keyPath: keyPath, problem: problem, consequence: consequence))
  }

  private mutating func read(_ value: JSONValue, _ place: String) {
    guard case .object(let statement) = value else {
      return report(.error, place, "is \(value.kind)", "it was ignored: write an object")
    }
    if case .text(let url)? = statement["include"] {
      return report(
        .note, "\(place).include", "includes \(url.shown)", "that file is not checked")
    }
    guard case .list(let relations)? = statement["relation"] else {
      return report(
        .error, "\(place).relation", "is missing or no array",
        "the statement counts for nothing: write [\"\(Self.relation)\"]")
    }
    let names = relations.compactMap { value -> String? in
      if case .text(let text) = value { text } else { nil }
    }
    guard names.contains(Self.relation) else {
      let isOther = names.contains { $0.hasPrefix("delegate_permission/common.get_login_creds") }
      return report(
        isOther ? .note : .error, "\(place).relation",
        "is \(names.map(\.shown).joined(separator: ", "))",
        "the statement lets no application handle URLs: write \"\(Self.relation)\"")
    }
    guard case .object(let target)? = statement["target"] else {
      return report(
        .error, "\(place).target", "is missing or no object", "the statement counts for nothing")
    }
    switch target["namespace"] {
    case .text("android_app")?: readApplication(target, "\(place).target")
    case .text("web")?:
      guard case .text(let site)? = target["site"], site.hasPrefix("https://") else {
        return report(
          .error, "\(place).target.site", "is no https URL", "the statement counts for nothing")
      }
    default:
      report(
        .error, "\(place).target.namespace", "is neither \"android_app\" nor \"web\"",
        "the statement counts for nothing")
    }
  }

  private mutating func readApplication(_ target: [String: JSONValue], _ place: String) {
    guard case .text(let package)? = target["package_name"], Self.isPackage(package) else {
      return report(
        .error, "\(place).package_name", "is not the name of a package",
        "the statement counts for nothing: write a name such as com.example.app")
    }
    let key = "sha256_cert_fingerprints"
    guard case .list(let prints)? = target[key], !prints.isEmpty else {
      return report(
        .error, "\(place).\(key)", "is missing, empty or no array",
        "the statement counts for nothing: add the fingerprint of the signing certificate")
    }
    var isUsable = false
    for (index, print) in prints.enumerated() {
      guard case .text(let text) = print, Self.isFingerprint(text) else {
        let isLowercase =
          if case .text(let text) = print { Self.isFingerprint(text.uppercased()) } else { false }
        report(
          .error, "\(place).\(key)[\(index)]",
          isLowercase ? "has small letters" : "is not a SHA-256 fingerprint",
          "it was ignored: write 32 pairs of the digits 0 to 9 and A to F, with colons between them"
        )
        continue
      }
      isUsable = true
    }
    if isUsable { packages.append(package) }
  }

  private static func isPackage(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count >= 2
      && parts.allSatisfy { part in
        part.first?.isASCIILetter == true
          && part.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
      }
  }

  private static func isFingerprint(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    return parts.count == 32
      && parts.allSatisfy { part in
        part.count == 2
          && part.allSatisfy {
            $0.isASCIIDigit || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0)
          }
      }
  }
}

/// Compares JSON texts.
package enum JSONText {
  /// Whether both are JSON with the same contents, regardless of blanks and of the order of keys. Numbers, which
  /// association files do not have, count as equal.
  package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    func value(_ bytes: [UInt8]) -> JSONValue? {
      try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }
    guard let first = value(one), let second = value(other) else { return false }
    return first == second
  }
}
