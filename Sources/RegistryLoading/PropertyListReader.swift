package import ApplicationFolders
package import LaunchRules
internal import PropertyLists

/// Reads the property lists that callers name, one after the other and never on the main thread: a large
/// one keeps nobody waiting but those who name others.
package actor PropertyListReader {
  package typealias Found<Content> = Result<Content, PropertyListPath.NotFound>

  package init() {}

  package func read(_ path: String, _ definitions: [String: String]) -> Found<ApplicationReading> {
    find(path).map { ApplicationReading(of: $0, variables: BuildVariables(definitions)) }
  }

  package func lint(_ path: String) -> Found<[Diagnostic]> {
    find(path).map { ApplicationReading.lint($0) }
  }

  private func find(_ path: String) -> Found<String> {
    do throws(PropertyListPath.NotFound) {
      return .success(try PropertyListPath.find(path))
    } catch {
      return .failure(error)
    }
  }
}
