package import ApplicationFolders
internal import Host
internal import PropertyLists

/// Reads the property lists that callers name, never on the main thread and at most `mostAtOnce` together. A
/// property list whose file system does not answer is given up after the time limit of `FileSequence`.
package actor PropertyListReader {
  package typealias Found<Content> = Result<Content, PropertyListPath.NotFound>

  private static let mostAtOnce = 8
  private var running = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  package func read(
    _ path: String, _ definitions: [String: String]
  ) async -> Found<ApplicationReading> {
    await found(path) { ApplicationReading(of: $0, variables: BuildVariables(definitions)) }
  }

  /// - Parameter searchPath: `PATH` of applications.
  package func lint(
    _ path: String, _ definitions: [String: String], searchPath: String
  ) async -> Found<ApplicationLint> {
    await found(path) {
      ApplicationLint(of: $0, variables: BuildVariables(definitions), searchPath: searchPath)
    }
  }

  /// Waits for one of the places of `mostAtOnce`.
  private func begin() async {
    guard running == Self.mostAtOnce else {
      running += 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Passes the place on.
  private func end() {
    guard !waiting.isEmpty else {
      running -= 1
      return
    }
    waiting.removeFirst().resume()
  }

  private func found<Content: Sendable>(
    _ path: String, _ read: @escaping @Sendable (String) -> Content
  ) async -> Found<Content> {
    await begin()
    defer { end() }
    let contents = await FileSequence.answers(
      about: [path], path: { $0 }, { Self.find($0).map(read) })
    return contents[0] ?? .failure(.unanswered(path))
  }

  private nonisolated static func find(_ path: String) -> Found<String> {
    do throws(PropertyListPath.NotFound) {
      return .success(try PropertyListPath.find(path))
    } catch {
      return .failure(error)
    }
  }
}
