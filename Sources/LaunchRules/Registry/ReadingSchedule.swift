/// Which property lists are to be read. They are read in rounds, one after the other: what becomes due
/// during a round waits for the next one.
package struct ReadingSchedule: Sendable {
  package struct Round: Hashable, Sendable {
    /// Property lists that may have changed.
    package var paths: Set<String> = []
    /// Folders whose property lists may be others.
    package var folders: Set<String> = []
    /// Bundles, and other files, of which property lists may have changed.
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
    // Very many come at once.
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

  /// Something else became known of these: what the round under way reads of them is of the past.
  package mutating func overtake(_ paths: some Sequence<String>) { overtaken.formUnion(paths) }

  /// They are no longer registered: they are not read for that any more, now or in the next round.
  package mutating func forget(_ paths: some Sequence<String>) {
    overtake(paths)
    due.paths.subtract(paths)
  }

  /// What the round has read of the property list counts.
  /// - Parameter isBeingWritten: by somebody, at this moment. It becomes due again when it is complete, and
  ///   until then its last good version stays.
  package func counts(_ record: ApplicationRecord, isBeingWritten: Bool) -> Bool {
    (record.holdsApplication || !isBeingWritten)
      && (overtaken.isEmpty || !overtaken.contains(record.propertyList))
  }
}
