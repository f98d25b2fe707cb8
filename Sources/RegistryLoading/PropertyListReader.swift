package import ApplicationFolders
internal import Host
package import LaunchRules
internal import PropertyLists

/// Reads the property lists that callers name, one at a time and never on the main thread. A large property
/// list delays only other callers of this reader.
package actor PropertyListReader {
  package typealias Found<Content> = Result<Content, PropertyListPath.NotFound>

  package init() {}

  package func read(_ path: String, _ definitions: [String: String]) -> Found<ApplicationReading> {
    find(path).map { ApplicationReading(of: $0, variables: BuildVariables(definitions)) }
  }

  package func lint(_ path: String) -> Found<Checked> {
    find(path).map { file in
      let application = ApplicationReading(
        of: file, isSystem: ApplicationFolder.isSystemPlace(file)
      ).application
      let names = application.flatMap { try? FolderListing(of: $0.folder, atMost: Self.mostNames) }
      return Checked(
        diagnostics: ApplicationReading.lint(file), application: application,
        files: names?.names ?? [])
    }
  }

  /// The result of a check.
  package struct Checked: Sendable {
    package let diagnostics: [Diagnostic]
    /// Nil when the application cannot be registered.
    package let application: InstalledApplication?
    /// The names of the files beside the property list.
    package let files: [String]
  }

  /// Maximum number of files in a folder whose names are returned.
  private static let mostNames = 10_000

  private func find(_ path: String) -> Found<String> {
    do throws(PropertyListPath.NotFound) {
      return .success(try PropertyListPath.find(path))
    } catch {
      return .failure(error)
    }
  }
}
