internal import BusContract
internal import Commands
internal import DBus

/// Formats the daemon's descriptions of applications.
extension RegisterCommand {
  static func identifier(of application: Options) -> String {
    application[Key.bundleIdentifier]?.asString ?? ""
  }

  func applications() throws(CommandFailure) -> [Options] {
    try ApplicationQuery.all { message throws(CommandFailure) in try call(message) }
      .sorted { Self.identifier(of: $0) < Self.identifier(of: $1) }
      .map(localize)
  }

  /// The display order of keys. Unknown keys, of later versions, follow.
  private static let order = [
    Key.bundleIdentifier, "name", localizedName, "display-name", "version", "state", "pid", "path",
    "executable", "platform",
    "linked-sdk", "system", "team", "scene", "schemes", "queries-schemes", "shortcut-items",
    "diagnostics",
  ]

  /// One row per fact, or per element of a list; empty values have none.
  static func facts(of application: Options) -> [[String]] {
    let others = application.keys.filter { !order.contains($0) && $0 != Key.urlTypes }.sorted()
    return (order + others).flatMap { key in
      (application[key].map(texts) ?? []).filter { !$0.isEmpty }.map { [key, $0] }
    }
  }

  static func texts(_ value: Value) -> [String] {
    switch value {
    case .string(let text): [text]
    case .boolean(let boolean): [boolean ? "yes" : "no"]
    case .uint32(0): []  // the PID of an application without a process
    case .array(let element, let elements) where !element.text.hasPrefix("{"):
      elements.flatMap(texts)
    case .structure(let parts): [parts.flatMap(texts).joined(separator: "  ")]
    default: [value.asOptions.map(line) ?? JSON.text(value)]
    }
  }

  private static func line(_ options: Options) -> String {
    options.sorted { $0.key < $1.key }
      .map { "\($0.key)=\(texts($0.value).joined(separator: ","))" }
      .joined(separator: "  ")
  }
}
