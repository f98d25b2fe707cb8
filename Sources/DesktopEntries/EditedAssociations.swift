package import LaunchRules

/// The contents of a `mimeapps.list` file, whose lines can be changed back.
package struct EditedAssociations {
  private var file: EditedKeyFile

  /// - Parameter bytes: empty for a file that does not exist.
  package init(_ bytes: [UInt8]) throws(DesktopFailure) { file = try EditedKeyFile(bytes) }

  package var bytes: [UInt8] { file.bytes }

  package var associations: Associations {
    var groups: [String: [String: String]] = [:]
    for group in file.keys.groups {
      for key in file.keys.keys(of: group) {
        groups[group, default: [:]][key] = file.keys.value(key, in: group)
      }
    }
    return Associations(groups)
  }

  /// Makes the application the only default of a type.
  package mutating func setDefault(_ type: String, to application: String) {
    file.set(type, in: AssociationChange.defaults, to: application)
  }

  /// Makes the changes from one list to another in a third one, also where the lines of the third one are different.
  /// - Returns: nil when one of them is no key file.
  package static func editing(
    _ bytes: [UInt8], asFrom before: [UInt8], to after: [UInt8]
  ) -> [UInt8]? {
    guard var file = try? Self(bytes), let old = try? Self(before), let new = try? Self(after)
    else { return nil }
    let edited = Set(old.associations.changes(to: new.associations).map { [$0.group, $0.type] })
    let changes = file.associations.changes(to: new.associations)
      .filter { edited.contains([$0.group, $0.type]) }
    _ = file.takeBack(changes.map(\.reversed))
    return file.bytes
  }

  /// Changes lines back to their values before some changes of different lines. Leaves lines alone that have changed again.
  /// - Returns: the changes whose lines were changed back.
  package mutating func takeBack(_ changes: [AssociationChange]) -> Set<AssociationChange> {
    let last = changes.filter { file.keys.value($0.type, in: $0.group) == $0.after }
    if !last.isEmpty {
      file.apply(last.map { .init(group: $0.group, key: $0.type, value: $0.before) })
    }
    return Set(last)
  }
}
