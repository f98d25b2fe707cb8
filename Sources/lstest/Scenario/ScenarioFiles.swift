internal import Commands
internal import FoundationEssentials
internal import Glibc

/// Finds the scenario files that arguments name.
struct ScenarioFiles {
  /// The folder for relative paths.
  let folder: String

  /// How the names of scenario files in folders end.
  static let suffixes = [".lstest.json", ".lstest.plist"]
  /// Folders that have no scenarios of the project itself.
  static let skipped: Set<String> = ["node_modules", "Pods", "DerivedData", "build"]
  /// Maximum number of scenario files.
  static let most = 10_000

  /// The absolute paths, each once, in the order of the arguments; those of a folder are sorted.
  func find(_ arguments: [String]) throws(CommandFailure) -> [String] {
    var found: [String] = []
    for argument in arguments {
      let path = FilePath.absolute(argument, from: folder)
      let files: [String]
      if Self.isFolder(path) {
        files = scenarios(below: path)
        guard !files.isEmpty else {
          throw CommandFailure(
            .noSuchFile,
            "the folder \(path) has no scenario: no file whose name ends in "
              + "\(Self.suffixes.joined(separator: " or ")); 'lstest init PATH' writes one")
        }
      } else if FilePath.exists(path) {
        files = [path]
      } else {
        files = matches(path)
        guard !files.isEmpty else {
          throw CommandFailure(.noSuchFile, "The file \(path) does not exist.")
        }
      }
      for file in files where !found.contains(file) { found.append(file) }
    }
    guard found.count <= Self.most else {
      throw .usage("\(found.count) scenarios are too many; name at most \(Self.most)")
    }
    return found
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private func scenarios(below folder: String) -> [String] {
    var found: [String] = []
    var open = [folder]
    while let next = open.popLast(), found.count <= Self.most {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: next)) ?? []
      for name in names where !name.hasPrefix(".") {
        let path = next + "/" + name
        // A link may lead to a folder around it.
        if Self.isFolder(path) {
          let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
          if !isLink, !Self.skipped.contains(name) { open.append(path) }
        } else if Self.suffixes.contains(where: name.hasSuffix) {
          found.append(path)
        }
      }
    }
    return found.sorted()
  }

  /// The files that a pattern of the shell matches, for commands that no shell has expanded.
  private func matches(_ pattern: String) -> [String] {
    var result = unsafe glob_t()
    defer { unsafe globfree(&result) }
    guard unsafe glob(pattern, 0, nil, &result) == 0 else { return [] }
    return unsafe (0..<Int(result.gl_pathc)).compactMap { index in
      unsafe result.gl_pathv[index].map { unsafe String(cString: $0) }
    }
  }
}
