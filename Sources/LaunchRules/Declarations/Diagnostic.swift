/// A finding about a property list: the location, the problem and the consequence.
package struct Diagnostic: Hashable, Sendable {
  package enum Severity: String, Hashable, Sendable, Comparable {
    /// Information; nothing was changed.
    case note
    /// A part was ignored or interpreted differently than written.
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
  /// Location in the file, such as `CFBundleURLTypes[0].CFBundleURLSchemes[2]`; empty for the whole file.
  package var keyPath: String
  /// The problem, as a sentence without its full stop.
  package var problem: String
  /// The consequence and, if possible, a remedy.
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

  /// The text without the severity, for logs that have their own severity.
  package var logLine: String { "\(place): \(problem); \(consequence)" }

  private var place: String { keyPath.isEmpty ? file : "\(file): \(keyPath)" }
}
