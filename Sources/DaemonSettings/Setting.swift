/// One key of the settings file.
package protocol SettingDescription: Sendable {
  var key: String { get }
  /// The type and range of values, such as `whole number of seconds, 1 to 1000000000`.
  var allowed: String { get }
  var defaultText: String { get }
  /// The purpose, without a full stop; names of keys and values stand between backticks.
  var help: String { get }
  /// Further sentences for the manual; often empty.
  var note: String { get }

  /// Changes `settings`, or returns warnings for a value that is not allowed.
  /// - Parameter path: the key, after the keys of the dictionaries that contain it.
  func read(
    _ value: SettingValue, at path: String, into settings: inout Settings
  ) -> [SettingsProblem]

  /// Changes `settings`. Returns false for an argument that is not allowed.
  func parse(_ argument: String, into settings: inout Settings) -> Bool
}

/// A key with one value.
package struct Setting<Value: Sendable>: SettingDescription {
  package let key: String
  let type: SettingType<Value>
  let field: any WritableKeyPath<Settings, Value> & Sendable
  package let help: String
  package let note: String

  init(
    _ key: String, _ type: SettingType<Value>,
    _ field: any WritableKeyPath<Settings, Value> & Sendable, _ help: String, note: String = ""
  ) {
    self.key = key
    self.type = type
    self.field = field
    self.help = help
    self.note = note
  }

  package var allowed: String { type.allowed }
  package var defaultText: String { type.text(Settings()[keyPath: field]) }

  package func read(
    _ value: SettingValue, at path: String, into settings: inout Settings
  ) -> [SettingsProblem] {
    guard let value = type.read(value) else {
      return [.notAllowed(path, value, allowed, instead: "the default, \(defaultText)")]
    }
    settings[keyPath: field] = value
    return []
  }

  package func parse(_ argument: String, into settings: inout Settings) -> Bool {
    guard let value = type.parse(argument) else { return false }
    settings[keyPath: field] = value
    return true
  }
}

/// A key whose value is a dictionary of settings. The whole file is a group with an empty key.
package struct SettingGroup: SettingDescription {
  package let key: String
  package let members: [any SettingDescription]
  package let allowed = "dictionary of settings"
  package let defaultText = "each key has its own"
  package let help: String
  package let note = ""

  package func read(
    _ value: SettingValue, at path: String, into settings: inout Settings
  ) -> [SettingsProblem] {
    guard case .dictionary(let entries) = value else {
      return [.notAllowed(path, value, allowed, instead: "the defaults of its keys")]
    }
    var problems: [SettingsProblem] = []
    for member in members {
      guard let value = entries[member.key] else { continue }
      let path = path.isEmpty ? member.key : "\(path).\(member.key)"
      problems += member.read(value, at: path, into: &settings)
    }
    let known = members.map(\.key)
    let unknown = Set(entries.keys).subtracting(known)
    if !unknown.isEmpty { problems.append(.unknown(unknown, at: path, known)) }
    return problems
  }

  package func parse(_ argument: String, into settings: inout Settings) -> Bool { false }
}
