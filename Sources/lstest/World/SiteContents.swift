internal import AssociationFiles
internal import FoundationEssentials
internal import Host
internal import KeyLines
internal import LaunchRules
internal import Reports
internal import StubApplications

/// The association file of a site of a scenario.
enum SiteContents {
  static func json(_ tree: PropertyTree) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return try encoder.encode(tree)
  }

  /// Why the file says nothing about universal links. A real site may have such a file; in a scenario it is a mistake.
  static func problems(
    of site: ScenarioSite, _ shown: (String) -> String
  ) -> [ScenarioProblem] {
    switch site.file {
    case .inline(let tree):
      guard let bytes = try? json(tree) else {
        return [site.value.problem("", "has a value that JSON does not have")]
      }
      let found = diagnostics(Array(bytes))
      return found.map { diagnostic in
        site.value.problem(diagnostic.keyPath, "\(diagnostic.problem); \(diagnostic.consequence)")
      }
    case .file(let path):
      let bytes: [UInt8]
      do throws(FileError) {
        bytes = try RegularFile.read(path, atMost: ScenarioReader.largest).bytes
      } catch {
        return [site.value.problem("", "\(error)")]
      }
      let lines = KeyLines(bytes)
      return diagnostics(bytes).map { diagnostic in
        var problem = site.value.problem("", diagnostic.logSentence)
        let mistake = diagnostic.keyPath.isEmpty ? JSONMistake.find(in: bytes) : nil
        problem.place = Report.Place(
          shown(path), line: mistake?.line ?? lines.line(of: diagnostic.keyPath),
          column: mistake?.column)
        return problem
      }
    }
  }

  private static func diagnostics(_ bytes: [UInt8]) -> [Diagnostic] {
    let reading = AssociationFileReading(bytes, at: "", findsMistakes: true)
    let isEmpty = reading.file?.details.isEmpty != false
    return reading.diagnostics.filter { diagnostic in
      switch (diagnostic.severity, diagnostic.keyPath) {
      case (.error, _): true
      case (.warning, "applinks"), (.warning, "applinks.details"), (.note, ""): isEmpty
      default: false
      }
    }
  }
}
