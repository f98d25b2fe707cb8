package import FoundationEssentials

/// A property list whose program is replaced, mostly by a stub.
package struct StubPropertyList: Sendable {
  /// The arguments of the stub, the path of the program first.
  package let arguments: [String]

  /// The name of the program.
  package static let program = "scripted-handler"

  /// - Parameters:
  ///   - program: the absolute path of `scripted-handler`.
  ///   - log: the absolute path of a file for its events; nil for none.
  ///   - opensTogether: whether the application gets documents that are opened together in one call, as on macOS.
  package init(
    program: String, _ behaviour: StubBehaviour = .accepting, log: String? = nil,
    opensTogether: Bool = false
  ) {
    var arguments = [program, "--stub"]
    if behaviour != .accepting { arguments += ["--behaviour", behaviour.word] }
    if let log { arguments += ["--log", log] }
    if opensTogether { arguments.append("--open-together") }
    // What follows are the arguments of the application, such as those of 'simctl launch'.
    arguments.append("--")
    self.arguments = arguments
  }

  /// - Parameter arguments: of another program, its absolute path first.
  package init(arguments: [String]) { self.arguments = arguments }

  /// The property list with these arguments in place of its own program. It must be a loose property list, where
  /// `ProgramArguments` counts before `CFBundleExecutable`.
  package func replacingProgram(of propertyList: PropertyTree) throws -> Data {
    var entries = propertyList.asDictionary ?? [:]
    entries["CFBundleExecutable"] = nil
    entries["ProgramArguments"] = .array(arguments.map(PropertyTree.string))
    return try PropertyTree.dictionary(entries).xml()
  }
}
