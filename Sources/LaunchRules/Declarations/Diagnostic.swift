/// Something odd in a property list: where it is, what is wrong and what was done about it.
package struct Diagnostic: Hashable, Sendable {
  package enum Severity: String, Hashable, Sendable, Comparable {
    /// Worth knowing; nothing was changed.
    case note
    /// A part was ignored or read in another way than written.
    case warning
    /// The application was not registered.
    case error

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }
    private var order: Int {
      switch self {
      case .note: 0
      case .warning: 1
      case .error: 2
      }
    }
  }

  package var severity: Severity
  /// The path of the property list.
  package var file: String
  /// Where in the file, such as `CFBundleURLTypes[0].CFBundleURLSchemes[2]`; empty for the whole.
  package var keyPath: String
  /// What is wrong, as a sentence without its full stop.
  package var problem: String
  /// What was done about it and, where there is something to do, what to do.
  package var consequence: String

  package init(
    _ severity: Severity, file: String, keyPath: String = "", problem: String, consequence: String
  ) {
    self.severity = severity
    self.file = file
    self.keyPath = keyPath
    self.problem = problem
    self.consequence = consequence
  }
}

extension Diagnostic: CustomStringConvertible {
  package var description: String {
    "\(place): \(severity.rawValue): \(problem); \(consequence)"
  }

  /// Without the severity, for a log that writes its own.
  package var logLine: String { "\(place): \(problem); \(consequence)" }

  private var place: String { keyPath.isEmpty ? file : "\(file): \(keyPath)" }
}
