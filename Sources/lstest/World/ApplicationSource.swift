internal import ApplicationFolders
internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import KeyLines
internal import LaunchRules
internal import PropertyLists
internal import Reports
internal import StubApplications

/// The property list and the entitlements of an application of a scenario, as they are written there.
struct ApplicationSource {
  /// With the keys that a build adds.
  let tree: PropertyTree
  let entitlements: PropertyTree?
  /// The absolute path of the property list; nil for one inside the scenario.
  let file: String?
  /// The values of the build variables that the property list and the entitlements use.
  let definitions: [String: String]
  let build: ApplicationBuild
  private let lines: KeyLines?
  /// The absolute path of the entitlements; nil without any, and for those inside the scenario.
  private let entitlementsFile: String?
  private let entitlementsLines: KeyLines?
  private let value: ScenarioValue

  init(_ application: ScenarioApplication) throws(ScenarioProblems) {
    let written: PropertyTree
    value = application.value
    let problem = application.value.problem
    let build = try ApplicationBuild(application)
    self.build = build
    let needed = application.needed.filter { !build.defines($0.name) }
    guard needed.isEmpty else {
      throw ScenarioProblems(
        needed.map {
          ScenarioProblem(
            place: $0.place, key: application.value.key,
            sentence:
              "needs a value of the build variable \($0.name): write it in the scenario, or add"
              + " --define \($0.name)=VALUE")
        })
    }
    guard let list = application.propertyList ?? build.propertyList.map(ScenarioContents.file)
    else {
      throw ScenarioProblems([
        problem(
          "xcode",
          "the target has no INFOPLIST_FILE: Xcode generates its property list, which claims no scheme;"
            + " write the property list in plist")
      ])
    }
    switch list {
    case .inline(let tree):
      written = tree
      (file, lines) = (nil, nil)
    case .file(let path):
      let path = Self.propertyList(at: path)
      let bytes = try Self.read(path, "plist", problem)
      file = path
      lines = KeyLines(bytes)
      written = try Self.tree(bytes, path, "plist", problem)
    }
    guard let entries = written.asDictionary else {
      throw ScenarioProblems([problem("plist", "is \(written.kind), but must be a dictionary")])
    }
    tree = .dictionary(entries.merging(application.addedKeys) { $1 })
    let ofFile: String?
    switch application.entitlements {
    case .inline: ofFile = nil
    case .file(let path): ofFile = path
    case nil:
      // Those beside the property list belong to the application.
      ofFile = file.flatMap { ApplicationReading.entitlementsFile(of: $0, build.variables) }
    }
    entitlementsFile = ofFile
    if let path = ofFile {
      let bytes = try Self.read(path, "entitlements", problem)
      entitlementsLines = KeyLines(bytes)
      entitlements = try Self.tree(bytes, path, "entitlements", problem)
    } else {
      entitlementsLines = nil
      entitlements = if case .inline(let tree)? = application.entitlements { tree } else { nil }
    }
    definitions = build.definitions(
      usedIn: [tree, entitlements].compactMap(\.self).map {
        String(decoding: (try? $0.xml()) ?? Data(), as: UTF8.self)
      })
  }

  /// The property list of a bundle.
  private static func propertyList(at path: String) -> String {
    guard ScenarioFiles.isFolder(path) else { return path }
    return ["Contents/Info.plist", "Info.plist"].map { "\(path)/\($0)" }
      .first { FilePath.exists($0) } ?? path
  }

  private static func read(
    _ path: String, _ key: String, _ problem: (String, String) -> ScenarioProblem
  ) throws(ScenarioProblems) -> [UInt8] {
    do throws(FileError) {
      return try RegularFile.read(path, atMost: InfoPropertyList.largestSize).bytes
    } catch {
      throw ScenarioProblems([problem(key, "cannot be read: \(error)")])
    }
  }

  private static func tree(
    _ bytes: [UInt8], _ path: String, _ key: String,
    _ problem: (String, String) -> ScenarioProblem
  ) throws(ScenarioProblems) -> PropertyTree {
    do throws(ScenarioSyntax.Wrong) {
      return try ScenarioSyntax.propertyList(bytes)
    } catch {
      let place = error.line.map { "\(path):\($0)" } ?? path
      throw ScenarioProblems([
        problem(
          key,
          "\(place): \(([error.sentence] + [error.advice].compactMap(\.self)).joined(separator: ": "))"
        )
      ])
    }
  }

  /// The finding at its place in the file that the user has written.
  func finding(_ diagnostic: Diagnostic, _ shown: (String) -> String) -> Report.Finding {
    let severity: Report.Severity =
      switch diagnostic.severity {
      case .note: .notice
      case .warning: .warning
      case .error: .error
      }
    return Report.Finding(
      severity, diagnostic.logSentence, title: "property list", at: place(of: diagnostic, shown))
  }

  private func place(of diagnostic: Diagnostic, _ shown: (String) -> String) -> Report.Place {
    let isOfList = diagnostic.file.hasSuffix(".plist")
    guard let file = isOfList ? file : entitlementsFile else {
      let key = isOfList ? "plist" : "entitlements"
      return value.place(of: diagnostic.keyPath.isEmpty ? key : "\(key).\(diagnostic.keyPath)")
    }
    let lines = isOfList ? lines : entitlementsLines
    return Report.Place(shown(file), line: lines?.line(of: diagnostic.keyPath))
  }
}

extension Diagnostic {
  /// The key, the problem and the consequence.
  var logSentence: String {
    (keyPath.isEmpty ? "" : "\(keyPath): ") + "\(problem); \(consequence)"
  }
}
