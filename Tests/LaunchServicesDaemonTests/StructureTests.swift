import Foundation
import Testing

/// The structure that the guide Architecture describes, read from the sources of the package.
@Suite("The structure of the sources") struct StructureTests {
  @Test("Daemon.swift is a composition root of at most 100 lines, and no other file extends Daemon")
  func compositionRoot() throws {
    let root = try SourceFile.all(in: "LaunchServicesDaemon").first { $0.name == "Daemon.swift" }
    #expect(try #require(root).lines.count <= 100)
    let extensions = try SourceFile.all(in: "").filter { file in
      file.name != "Daemon.swift" && file.text.contains("extension Daemon")
        && file.lines.filter { $0.contains("extension Daemon") }.contains {
          $0.firstMatch(of: /^(\w+ )*extension Daemon\b/) != nil
        }
    }
    #expect(extensions.map(\.name) == [])
  }

  @Test(
    "a component of the daemon has at most 12 stored properties",
    arguments: ["CallerIdentity", "LaunchServicesDaemon", "ProcessSupervision", "RegistryLoading"])
  func components(target: String) throws {
    let classes = try SourceFile.all(in: target).flatMap(\.classes)
    #expect(!classes.isEmpty)
    for component in classes {
      #expect(
        component.storedProperties.count <= 12,
        "\(component.name): \(component.storedProperties.joined(separator: ", "))")
    }
  }

  @Test(
    "targets import what their place in the structure allows",
    arguments: [
      ("LaunchRules", []),
      ("RegistryLoading", ["ApplicationFolders", "Host", "LaunchRules", "PropertyLists"]),
      ("CallerIdentity", ["DBus", "DBusMainLoop", "Host", "LaunchRules", "ProcessSupervision"]),
      ("ProcessSupervision", ["BusContract", "DBus", "DBusMainLoop", "Host", "LaunchRules"]),
      (
        "LaunchServicesDaemon",
        [
          "ApplicationFolders", "AssociationFiles", "BusContract", "CallerIdentity", "DBus",
          "DBusMainLoop",
          "DaemonSettings", "Events", "Host", "LaunchRules", "ProcessSupervision", "PropertyLists",
          "Records",
          "RegistryLoading", "SystemSchemes",
        ]
      ),
    ])
  func imports(target: String, allowed: [String]) throws {
    let system = ["Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Synchronization"]
    let permitted = Set(allowed + (target == "LaunchRules" ? [] : system))
    for file in try SourceFile.all(in: target) {
      #expect(Set(file.imports).subtracting(permitted) == [], "\(file.name)")
    }
  }

  @Test("the counter of stored properties counts stored properties only") func counter() {
    let file = SourceFile(
      name: "a.swift",
      text: #"""
        final class A {
          private let a: Int, b: Int
          var c = 0 { didSet { var x = 1 } }
          private(set) var d: [Int] = []
          static let e = 1
          var f: [Int] { [2].map(\.self) }
          var g: Int {
            let h = 3
            return h
          }
          let onEvent: (A, B) -> Void
          func i() { let j = 4 }
          private lazy var k = { 5 }()
          weak var onL: A?
          private final class B {
            fileprivate(set) var m = 6
            class func n() {}
          }
        }
        """#)
    #expect(
      file.classes.map(\.storedProperties) == [
        ["a", "b", "c", "d", "onEvent", "k", "onL"], ["m"],
      ])
  }
}

/// A Swift file, read as text.
///
/// A literal of a regular expression is compiled each time. Therefore only lines that can match are compared.
private struct SourceFile {
  var name: String
  var text: String

  /// The lines, also empty ones.
  var lines: [Substring] {
    (text.hasSuffix("\n") ? text.dropLast() : text[...]).split(
      separator: "\n", omittingEmptySubsequences: false)
  }

  var imports: [String] {
    lines.filter { $0.contains("import ") }.compactMap { line in
      line.firstMatch(of: /^(?:@\w+ |public |package |internal |private )*import (\w+)/)
        .map { String($0.1) }
    }
  }

  /// - Parameter target: the folder in `Sources`; empty for all.
  static func all(in target: String) throws -> [SourceFile] {
    let package = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = package.appending(path: "Sources/" + target)
    let paths = try #require(FileManager.default.enumerator(atPath: folder.path))
    return try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
      .map { path in
        let file = folder.appending(path: path)
        return SourceFile(
          name: file.lastPathComponent, text: try String(contentsOf: file, encoding: .utf8))
      }
  }

  struct Class {
    var name: String
    var storedProperties: [String]
  }

  /// The classes of the file. The sources are formatted, so that a declaration begins on a line of its own.
  var classes: [Class] {
    text.matches(of: /(?m)^ *(?:@\w+ |\w+ )*class (?!func |var )(\w+)[^{]*\{/).map { match in
      var depth = 1
      var properties: [String] = []
      for line in text[match.range.upperBound...].split(separator: "\n") {
        if depth == 1 { properties += Self.storedProperties(in: line) }
        depth += line.count { $0 == "{" } - line.count { $0 == "}" }
        if depth <= 0 { break }
      }
      return Class(name: String(match.1), storedProperties: properties)
    }
  }

  private static func storedProperties(in line: Substring) -> [String] {
    guard line.contains("let ") || line.contains("var "),
      let match = line.firstMatch(
        of:
          /^\s*(?:@\w+ |(?:fileprivate|private|internal|package|public)(?:\(set\))? |unowned |weak |lazy |nonisolated )*(?:let|var) (.*)/
      )
    else { return [] }
    // A computed property has its body directly after its type.
    if let brace = match.1.firstIndex(of: "{"), !match.1[..<brace].contains("=") { return [] }
    // A type in brackets may have commas.
    let declaration = match.1.replacing(/[\[(<][^=]*[\])>]/, with: "")
    return declaration.split(separator: "=")[0].matches(of: /(?:^|,\s*)(\w+)\s*(?=:|,|$)/).map {
      String($0.1)
    }
  }
}
