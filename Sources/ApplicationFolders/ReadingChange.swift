package import LaunchRules

/// What changes because some property lists were read again.
package struct ReadingChange: Sendable {
  /// Property lists whose applications are no longer registered.
  package var removing: [String] = []
  package var installing: [ApplicationRecord] = []
  /// What is known of the property lists now, also of those that hold no application.
  package var known: [ApplicationRecord] = []
  /// Property lists of which nothing is known any more.
  package var forgotten: [String] = []
  /// What is odd and was not before, in the order of the files.
  package var diagnostics: [Diagnostic] = []

  /// - Parameters:
  ///   - fresh: what was read, of each property list once.
  ///   - before: what was known.
  ///   - isRegistered: The user has registered it by its path, and is told of it while it is missing.
  ///   - isMissing: No file is there.
  package init(
    _ fresh: [ApplicationRecord], before: PropertyListTable, isRegistered: (String) -> Bool,
    isMissing: (String) -> Bool
  ) {
    for record in fresh {
      let path = record.propertyList
      if record.holdsApplication { installing.append(record) } else { removing.append(path) }
      let isGone = !record.wasReadable && isMissing(path)
      if isGone && !isRegistered(path) { forgotten.append(path) } else { known.append(record) }
      if !isGone, record.diagnostics != before[like: record]?.diagnostics {
        diagnostics += record.diagnostics
      }
    }
    diagnostics.sort { $0.file < $1.file }
  }
}
