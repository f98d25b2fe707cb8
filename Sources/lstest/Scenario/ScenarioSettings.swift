internal import DaemonSettings
internal import StubApplications

extension ScenarioValue {
  /// Settings of the daemon; reports those that the daemon would ignore.
  func settings() -> [String: PropertyTree] {
    guard let entries = tree.asDictionary else {
      report("is \(tree.kind), but must be a dictionary")
      return [:]
    }
    var settings = Settings()
    let problems = SettingsTable.file.read(SettingValue(tree), at: key, into: &settings)
    for entry in problems.flatMap(\.entries) { reading.report(entry.key, entry.sentence) }
    for (name, value) in World.fixedSettings.sorted(by: { $0.key < $1.key }) {
      if let given = entries[name], given != value {
        reading.report(
          "\(key).\(name)", "has no effect, because it is always \(value.text) in a scenario")
      }
    }
    return entries
  }
}

extension SettingValue {
  init(_ tree: PropertyTree) {
    self =
      switch tree {
      case .string(let text): .string(text)
      case .boolean(let flag): .boolean(flag)
      case .integer(let number): .integer(Int128(number))
      case .double(let number): Int128(exactly: number).map { .integer($0) } ?? .real(number)
      case .date, .data, .null: .other(tree.kind)
      case .array(let list): .array(list.map { SettingValue($0) })
      case .dictionary(let entries): .dictionary(entries.mapValues { SettingValue($0) })
      }
  }
}

extension PropertyTree {
  /// A value in a message.
  fileprivate var text: String {
    switch self {
    case .string(let text): text
    case .boolean(let flag): "\(flag)"
    default: kind
    }
  }
}
