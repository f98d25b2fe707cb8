internal import ApplicationFolders
internal import LaunchRules
internal import PropertyLists

/// Reads the property lists that callers name, one after the other and never on the main thread: a large
/// one keeps nobody waiting but those who name others.
actor PropertyListReader {
  typealias Found<Content> = Result<Content, PropertyListPath.NotFound>

  func read(_ path: String, _ definitions: [String: String]) -> Found<ApplicationReading> {
    find(path).map { ApplicationReading(of: $0, variables: BuildVariables(definitions)) }
  }

  func lint(_ path: String) -> Found<[Diagnostic]> {
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
