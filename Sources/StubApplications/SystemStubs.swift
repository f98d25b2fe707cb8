internal import FoundationEssentials

/// The system applications of Launch Services with stubs in place of their programs, which open URLs with applications of
/// the desktop.
package struct SystemStubs: Sendable {
  /// The folder with their property lists.
  let folder: String
  let stub: StubPropertyList

  package init(of folder: String, _ stub: StubPropertyList) {
    self.folder = folder
    self.stub = stub
  }

  /// Writes the property lists into another folder, which is made if necessary. Returns the identifiers of the applications
  /// with a stub. A property list without a program, which declares types only, stays as it is.
  package func write(to target: String) throws -> [String] {
    let files = FileManager.default
    try files.createDirectory(atPath: target, withIntermediateDirectories: true)
    var identifiers: [String] = []
    for name in try files.contentsOfDirectory(atPath: folder).sorted()
    where name.hasSuffix(".plist") {
      let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      let tree = try PropertyTree(propertyList: data)
      let hasProgram = tree.asDictionary?["ProgramArguments"] != nil
      let contents = hasProgram ? try stub.replacingProgram(of: tree) : data
      try contents.write(to: URL(filePath: "\(target)/\(name)"))
      if hasProgram, let identifier = tree.asDictionary?["CFBundleIdentifier"]?.asString {
        identifiers.append(identifier)
      }
    }
    return identifiers
  }
}
