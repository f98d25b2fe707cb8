package import LaunchRules

/// The comparison of a list of associations with its contents after each of some writes, which have different writers: each
/// write is judged by itself.
package struct AssociationComparison {
  /// One write, or several in a row of the same writers.
  package struct Write {
    /// Nil when the file did not exist then. Contents that are no key file are compared with the next ones.
    let contents: [UInt8]?
    /// Of the processes at the time of the write.
    let choosers: Set<UserChoiceRule.Chooser>

    package init(contents: [UInt8]?, choosers: Set<UserChoiceRule.Chooser>) {
      (self.contents, self.choosers) = (contents, choosers)
    }
  }

  /// Who has made changes.
  package struct Attribution: Hashable, Sendable {
    package var others: [AssociationChange]
    package var user: [AssociationChange]

    package init(others: [AssociationChange] = [], user: [AssociationChange] = []) {
      (self.others, self.user) = (others, user)
    }
  }

  package typealias TakenBack = (change: AssociationChange, reason: DefaultsGuardRule.Reason)

  /// What a write has changed.
  package struct Step {
    /// The index of the write.
    package let write: Int
    /// Contents without the changes of earlier writes that are taken back; nil for no file.
    package let before: [UInt8]?
    package let after: [UInt8]?
    package let changes: [AssociationChange]
    /// The changes that the user has made.
    package let chosen: [AssociationChange]
    package let takenBack: [TakenBack]
    /// The contents without the changes that are taken back.
    package let result: [UInt8]?
  }

  /// What is left for later when nothing can be taken back now: the user's choices stay.
  package struct Rest {
    /// The number of steps to the last one with a change that the user has made.
    package let settled: Int
    /// The contents after these steps, without the changes that are taken back; nil for no file.
    package let before: [UInt8]?
    /// All changes from there to the last write.
    package let changes: [AssociationChange]
    /// Those to take back.
    package let takenBack: [TakenBack]
    /// By the writers of the last change of each line.
    package let attribution: Attribution
  }

  package private(set) var steps: [Step] = []
  package let rest: Rest
  /// The contents without all changes that are taken back; nil for no file.
  package let result: [UInt8]?

  /// Nil when the contents before the first write, or after the last one, are no key file.
  /// - Parameters:
  ///   - before: nil for no file.
  ///   - known: what is known about changes that were seen before.
  ///   - restored: the changes to take back among some that the user has not made.
  package init?(
    of before: [UInt8]?, _ writes: [Write], known: Attribution = .init(),
    restored: (_ changes: [AssociationChange], _ list: Associations) -> [TakenBack]
  ) {
    guard let old = try? EditedAssociations(before ?? []), let last = writes.last,
      (try? EditedAssociations(last.contents ?? [])) != nil
    else { return nil }
    var (seen, list, wanted) = (old.associations, old.associations, before)
    var settled = (count: 0, list: list, contents: before)
    // In the order in which they were made.
    var takenBack: [TakenBack] = []
    var isByOthers: [Line: Bool] = [:]
    let (knownOthers, knownUser) = (Set(known.others), Set(known.user))
    for (index, write) in writes.enumerated() {
      guard var file = try? EditedAssociations(write.contents ?? []) else { continue }
      // A line that is written again is no longer that which was taken back.
      let written = Set(seen.changes(to: file.associations).map(Line.init))
      takenBack.removeAll { written.contains(Line($0.change)) }
      seen = file.associations
      _ = file.takeBack(takenBack.map(\.change))
      let after = takenBack.isEmpty ? write.contents : file.bytes
      let changes = list.changes(to: file.associations)
      let ofUser = Set(UserChoiceRule.chosen(changes, by: write.choosers))
      let chosen = changes.filter {
        ofUser.contains($0) ? !knownOthers.contains($0) : knownUser.contains($0)
      }
      let byUser = Set(chosen)
      let others = changes.filter { !byUser.contains($0) }
      for change in changes { isByOthers[Line(change)] = !byUser.contains(change) }
      let wrong = others.isEmpty ? [] : restored(others, list)
      let undone = file.takeBack(wrong.map(\.change))
      let found = wrong.filter { undone.contains($0.change) }
      takenBack += found
      let result =
        found.isEmpty ? after : found.count == changes.count ? wanted : file.bytes
      steps.append(
        Step(
          write: index, before: wanted, after: after, changes: changes, chosen: chosen,
          takenBack: found, result: result))
      (list, wanted) = (file.associations, result)
      if !chosen.isEmpty { settled = (steps.count, list, wanted) }
    }
    result = wanted
    let changes = settled.list.changes(to: seen)
    var reasons: [Line: DefaultsGuardRule.Reason] = [:]
    for (change, reason) in takenBack { reasons[Line(change)] = reason }
    rest = Rest(
      settled: settled.count, before: settled.contents, changes: changes,
      takenBack: changes.compactMap { change in reasons[Line(change)].map { (change, $0) } },
      attribution: Attribution(
        others: changes.filter { isByOthers[Line($0)] ?? true },
        user: changes.filter { isByOthers[Line($0)] == false }))
  }

  private struct Line: Hashable {
    let group: String
    let type: String

    init(_ change: AssociationChange) { (group, type) = (change.group, change.type) }
  }
}
