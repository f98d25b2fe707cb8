/// Reads files for the computation of build settings. The only way of this module to the file system.
package struct SettingFiles: Sendable {
  package enum Problem: Error, Hashable {
    case missing
    /// A sentence without its full stop, which names the path.
    case unreadable(String)
  }

  package typealias Reading =
    @Sendable (_ path: String, _ limit: Int) throws(Problem) -> [UInt8]

  let read: Reading

  /// - Parameter read: returns the bytes of the file at an absolute path, of at most `limit` bytes.
  package init(_ read: @escaping Reading) { self.read = read }
}

/// The assignments of an `.xcconfig` file and of the files that it includes.
package struct XCConfig {
  /// In the order in which they apply; a later one wins.
  package private(set) var assignments: [SettingAssignment] = []
  package private(set) var problems: [SettingProblem] = []
  private var filesRead = 0

  /// Maximum size of a file, in bytes.
  static let largestFile = 1 << 20
  private static let mostFiles = 200
  private static let deepest = 32

  /// - Parameter path: an absolute path. The file must exist.
  package init(_ path: String, _ files: SettingFiles) throws(SettingsFailure) {
    do throws(SettingFiles.Problem) {
      let bytes = try files.read(path, Self.largestFile)
      add(bytes, at: path, files, inside: [])
    } catch {
      switch error {
      case .missing:
        throw SettingsFailure("The file \(path) does not exist.", isMissingFile: true)
      case .unreadable(let problem): throw SettingsFailure(problem)
      }
    }
  }

  private mutating func add(
    _ bytes: [UInt8], at path: String, _ files: SettingFiles, inside outer: [String]
  ) {
    filesRead += 1
    let file = XCConfigFile(bytes, at: path)
    problems += file.problems
    let open = outer + [path]
    for line in file.lines {
      switch line {
      case .assignment(let assignment): assignments.append(assignment)
      case .include(let name, let isOptional, let number):
        include(
          SettingPath.join(SettingPath.folder(of: path), name), isOptional,
          SettingSource(path, line: number), files, inside: open)
      }
    }
  }

  private mutating func include(
    _ path: String, _ isOptional: Bool, _ source: SettingSource, _ files: SettingFiles,
    inside open: [String]
  ) {
    guard !open.contains(path) else {
      return problem(source, "\(path) includes itself; the second include is ignored")
    }
    guard open.count < Self.deepest, filesRead < Self.mostFiles else {
      return problem(
        source,
        "more than \(Self.mostFiles) files, or \(Self.deepest) levels of files, are included; the"
          + " rest is ignored")
    }
    do throws(SettingFiles.Problem) {
      add(try files.read(path, Self.largestFile), at: path, files, inside: open)
    } catch {
      switch error {
      case .missing where isOptional: break
      case .missing: problem(source, "the included file \(path) does not exist")
      case .unreadable(let text): problem(source, text)
      }
    }
  }

  private mutating func problem(_ source: SettingSource, _ text: String) {
    problems.append(SettingProblem(source, text))
  }
}

/// Paths as texts.
enum SettingPath {
  /// The folder of an absolute path.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// An absolute path without `.`, `..` and double slashes.
  static func join(_ folder: String, _ path: String) -> String {
    let whole = path.hasPrefix("/") ? path : folder + "/" + path
    var kept: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == ".." { _ = kept.popLast() } else { kept.append(part) }
    }
    return "/" + kept.joined(separator: "/")
  }
}
