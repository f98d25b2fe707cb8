package import ApplicationFolders
internal import Host
internal import PropertyLists

/// Reads the property lists that callers name, one at a time and never on the main thread. A large property
/// list delays only other callers of this reader.
package actor PropertyListReader {
  package typealias Found<Content> = Result<Content, PropertyListPath.NotFound>

  package init() {}

  package func read(_ path: String, _ definitions: [String: String]) -> Found<ApplicationReading> {
    find(path).map { ApplicationReading(of: $0, variables: BuildVariables(definitions)) }
  }

  /// - Parameter searchPath: `PATH` of applications.
  package func lint(
    _ path: String, _ definitions: [String: String], searchPath: String
  ) -> Found<ApplicationLint> {
    find(path).map {
      ApplicationLint(of: $0, variables: BuildVariables(definitions), searchPath: searchPath)
    }
  }

  private func find(_ path: String) -> Found<String> {
    do throws(PropertyListPath.NotFound) {
      return .success(try PropertyListPath.find(path))
    } catch {
      return .failure(error)
    }
  }
}
