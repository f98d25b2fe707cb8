package import LaunchRules

/// The change of the registry after some property lists were read again.
package struct ReadingChange: Sendable {
  /// Property lists whose applications are no longer registered.
  package var removing: [String] = []
  package var installing: [ApplicationRecord] = []
  /// Those of `installing` that were installed since the earlier reading: their files were replaced, or the user
  /// registered them again. The others were only read again.
  package var installed: [ApplicationRecord] = []
  /// The current records of the property lists, also of those without an application.
  package var known: [ApplicationRecord] = []
  /// Property lists whose records are dropped.
  package var forgotten: [String] = []
  /// Diagnostics that are new, sorted by file.
  package var diagnostics: [Diagnostic] = []

  /// - Parameters:
  ///   - fresh: the records that were read, one for each property list.
  ///   - before: the earlier records.
  ///   - isRegistered: whether the user has registered the property list by its path. Its record is then kept
  ///     while the file is missing.
  ///   - isMissing: whether the file does not exist.
  package init(
    _ fresh: [ApplicationRecord], before: PropertyListTable, isRegistered: (String) -> Bool,
    isMissing: (String) -> Bool
  ) {
    for record in fresh {
      let path = record.propertyList
      if record.hasApplication {
        installing.append(record)
        let earlier = before[like: record]
        if earlier?.isSameInstallation(as: record) != true { installed.append(record) }
      } else {
        removing.append(path)
      }
      let isGone = !record.wasReadable && isMissing(path)
      if isGone && !isRegistered(path) { forgotten.append(path) } else { known.append(record) }
      if !isGone, record.diagnostics != before[like: record]?.diagnostics {
        diagnostics += record.diagnostics
      }
    }
    diagnostics.sort { $0.file < $1.file }
  }
}
