internal import Host
package import LaunchRules
package import PropertyLists

/// The findings about entitlements.
package enum EntitlementsLint {
  /// The findings about a file of which it is not known whether an application has it.
  /// - Parameter path: the absolute path.
  package static func diagnostics(of path: String, _ variables: BuildVariables) -> [Diagnostic] {
    let entitlements: Entitlements
    do throws(FileError) {
      let bytes = try RegularFile.read(path, atMost: Entitlements.largestSize).bytes
      entitlements = Entitlements(bytes, at: path, variables: variables)
    } catch {
      entitlements = Entitlements(unreadable: path, error.withoutPath)
    }
    return raised(
      entitlements.diagnostics.map { diagnostic in
        var diagnostic = diagnostic
        // Which build has the file, and so the values of its variables, is not known.
        if diagnostic.severity == .error, !entitlements.openVariables.isEmpty {
          diagnostic.severity = .note
        }
        return diagnostic
      }, ofFile: path)
  }

  /// Whether it matters which of the files an application has.
  private static func differ(_ files: [String], _ variables: BuildVariables) -> Bool {
    let contents = files.map { file in
      let bytes = (try? RegularFile.read(file, atMost: Entitlements.largestSize).bytes) ?? []
      let entitlements = Entitlements(bytes, at: file, variables: variables)
      return "\(entitlements.associatedDomains) \(entitlements.defaults.map(\.rawValue).sorted())"
    }
    return Set(contents).count > 1
  }

  /// The finding about several files beside a property list, of which no build says which the application has.
  package static func diagnostics(
    ofRivals files: [String], of propertyList: String, _ variables: BuildVariables
  ) -> [Diagnostic] {
    guard differ(files, variables) else { return [] }
    let names = files.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    return [
      Diagnostic(
        .warning, file: propertyList,
        problem: "the entitlements \(names.joined(separator: ", ")) beside it differ",
        consequence: "none of them was read with it: name the file of the build with --define"
          + " \(BuildVariableName.entitlements)=\(names[0])")
    ]
  }

  /// An application runs without its entitlements when they cannot be read; for the author of the file that is an error.
  /// - Parameter file: the path of the entitlements; nil for none.
  package static func raised(_ diagnostics: [Diagnostic], ofFile file: String?) -> [Diagnostic] {
    diagnostics.map { diagnostic in
      guard diagnostic.file == file, diagnostic.keyPath.isEmpty, diagnostic.severity == .warning
      else { return diagnostic }
      var raised = diagnostic
      raised.severity = .error
      return raised
    }
  }
}
