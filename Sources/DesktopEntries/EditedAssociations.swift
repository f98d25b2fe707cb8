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

  /// Changes a line back to its value before the change. Does nothing when the line has changed again.
  /// - Returns: whether the line was changed back.
  package mutating func takeBack(_ change: AssociationChange) -> Bool {
    guard file.keys.value(change.type, in: change.group) == change.after else { return false }
    file.set(change.type, in: change.group, to: change.before)
    return true
  }
}
