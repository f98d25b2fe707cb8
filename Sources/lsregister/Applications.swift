internal import BusContract
internal import Commands
internal import DBus

/// What is registered.
extension RegisterCommand {
  func list(json: Bool) throws(CommandFailure) {
    let applications = try applications()
    if json { return output.print(JSON.text(.optionsList(applications))) }
    let rows = applications.map { application in
      ["bundle-identifier", "version", "state", "schemes", "name"].map { key in
        let localized = key == "name" ? application[Self.localizedName] : nil
        let text = ((localized ?? application[key]).map(Self.texts) ?? []).joined(separator: ",")
        return text.isEmpty ? "-" : text
      }
    }
    output.print(Columns.lines(rows))
  }

  func show(_ identifier: String, json: Bool) throws(CommandFailure) {
    guard
      let application = try call(Contract.findApplications(.identifier(identifier))).first?
        .asOptionsList?.first.map(localize)
    else {
      throw CommandFailure(.failed, "no application '\(identifier)' is registered")
    }
    output.print(
      json ? [JSON.text(application)] : Columns.lines(Self.facts(of: application)))
  }

  func apps(json: Bool) throws(CommandFailure) {
    let applications =
      try call(Contract.runningApplications()).first?.asOptionsList ?? []
    if json { return output.print(JSON.text(.optionsList(applications))) }
    let showsUnits = applications.contains { $0["unit"] != nil }
    let rows = applications.map { application in
      [
        Self.identifier(of: application), application["state"]?.asString ?? "-",
        "\(application[Key.pid]?.asUInt32 ?? 0)",
        LocalTime.text(microseconds: application["since"]?.asUInt64 ?? 0),
        "\(application["queued"]?.asUInt32 ?? 0)",
      ] + (showsUnits ? [application["unit"]?.asString ?? "-"] : [])
    }
    output.print(Columns.lines(rows))
  }

  /// Says which processes of an application that was removed run on.
  func tellWhatRuns(of identifier: String) {
    let running = try? call(Contract.runningApplications()).first?.asOptionsList
    for application in running ?? [] {
      guard Self.identifier(of: application).lowercased() == identifier.lowercased(),
        let pid = application[Key.pid]?.asUInt32, pid != 0
      else { continue }
      output.complain("\(Self.identifier(of: application)) still runs, as process \(pid)")
    }
  }

  private static func identifier(of application: Options) -> String {
    application[Key.bundleIdentifier]?.asString ?? ""
  }

  func applications() throws(CommandFailure) -> [Options] {
    try ApplicationQuery.all { message throws(CommandFailure) in try call(message) }
      .sorted { Self.identifier(of: $0) < Self.identifier(of: $1) }
      .map(localize)
  }

  /// The order in which people want to read them; keys of later versions come after these.
  private static let order = [
    Key.bundleIdentifier, "name", localizedName, "display-name", "version", "state", "pid", "path",
    "executable", "platform",
    "linked-sdk", "system", "team", "scene", "schemes", "queries-schemes", "shortcut-items",
    "diagnostics",
  ]

  /// One row for each fact; a list has a row for each element, what is empty has none.
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
    case .uint32(0): []  // the pid of an application that does not run
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
