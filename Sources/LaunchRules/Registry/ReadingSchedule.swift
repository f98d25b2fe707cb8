/// The property lists to be read, in consecutive rounds. Property lists that become due during a round are
/// read in the next one.
package struct ReadingSchedule: Sendable {
  package struct Round: Hashable, Sendable {
    /// Property lists that may have changed.
    package var paths: Set<String> = []
    /// Folders whose set of property lists may have changed.
    package var folders: Set<String> = []
    /// Bundles and other files with property lists that may have changed.
    package var applications: Set<String> = []

    package init(
      paths: Set<String> = [], folders: Set<String> = [], applications: Set<String> = []
    ) {
      self.paths = paths
      self.folders = folders
      self.applications = applications
    }
  }

  private var due = Round()
  private var overtaken: Set<String> = []

  package init() {}

  package mutating func add(
    _ paths: some Sequence<String>, in folders: Set<String> = [], of applications: Set<String> = []
  ) {
    due.paths.formUnion(paths)
    due.folders.formUnion(folders)
    // The set may be very large.
    due.applications =
      due.applications.isEmpty ? applications : due.applications.union(applications)
  }

  /// Begins the next round; nil when nothing is due.
  package mutating func next() -> Round? {
    overtaken = []
    guard due != Round() else { return nil }
    defer { due = Round() }
    return due
  }

  /// Marks property lists that were changed otherwise, so that readings of the current round are ignored.
  package mutating func overtake(_ paths: some Sequence<String>) { overtaken.formUnion(paths) }

  /// Removes unregistered property lists from the current and the next round.
  package mutating func forget(_ paths: some Sequence<String>) {
    overtake(paths)
    due.paths.subtract(paths)
  }

  /// Whether the reading of a property list is valid.
  /// - Parameter isBeingWritten: whether the file is open for writing. The file becomes due again when it is
  ///   complete; until then the last valid version is used.
  package func counts(_ record: ApplicationRecord, isBeingWritten: Bool) -> Bool {
    (record.hasApplication || !isBeingWritten)
      && (overtaken.isEmpty || !overtaken.contains(record.propertyList))
  }
}
