internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// Who handles a scheme.
extension RegisterCommand {
  func handlers(_ scheme: URLScheme, json: Bool) throws(CommandFailure) {
    let answer = try call(Contract.handlers(scheme.text))
    let identifiers = answer.first?.asStrings ?? []
    let reasons = answer.dropFirst().first?.asStrings ?? []
    guard !identifiers.isEmpty else { throw nobody(handles: scheme) }
    let rows = identifiers.indices.map { index in
      (identifiers[index], index < reasons.count ? reasons[index] : "-")
    }
    if json {
      let list = rows.map { [Key.bundleIdentifier: Value.string($0), "reason": .string($1)] }
      output.print(JSON.text(.optionsList(list)))
    } else {
      output.print(Columns.lines(rows.map { [$0, $1] }))
    }
  }

  func printDefault(_ scheme: URLScheme, json: Bool) throws(CommandFailure) {
    let identifier = try call(Contract.defaultHandler(scheme.text)).first?.asString ?? ""
    if identifier.isEmpty { throw nobody(handles: scheme) }
    if json { print(identifier, isDefaultOf: scheme) } else { output.print(identifier) }
  }

  /// As JSON; the identifier is empty when the user's choice was taken back.
  func print(_ identifier: String, isDefaultOf scheme: URLScheme) {
    output.print(
      JSON.text([
        Key.bundleIdentifier: .string(identifier), "scheme": .string(scheme.text),
      ]))
  }

  private func nobody(handles scheme: URLScheme) -> CommandFailure {
    CommandFailure(.failed, "no application handles the scheme '\(scheme)'")
  }
}
