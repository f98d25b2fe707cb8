internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// Who handles a scheme, or opens a type or a file.
extension RegisterCommand {
  func handlers(_ subject: HandledSubject, json: Bool) throws(CommandFailure) {
    let rows = try handlers(of: subject)
    guard !rows.isEmpty else { throw nobody(subject) }
    if json {
      let list = rows.map { [Key.bundleIdentifier: Value.string($0), "reason": .string($1)] }
      output.print(JSON.text(.optionsList(list)))
    } else {
      output.print(Columns.lines(rows.map { [$0, $1] }))
    }
  }

  func printDefault(_ subject: HandledSubject, json: Bool) throws(CommandFailure) {
    let identifier: String
    if case .scheme(let scheme) = subject {
      identifier = try call(Contract.defaultHandler(scheme.text)).first?.asString ?? ""
    } else {
      identifier = try handlers(of: subject).first?.identifier ?? ""
    }
    if identifier.isEmpty { throw nobody(subject) }
    if json { print(identifier, isDefaultOf: subject) } else { output.print(identifier) }
  }

  /// As JSON; the identifier is empty when the user's choice was taken back.
  func print(_ identifier: String, isDefaultOf subject: HandledSubject) {
    output.print(
      JSON.text([
        Key.bundleIdentifier: .string(identifier), subject.words.key: .string(subject.text),
      ]))
  }

  private func nobody(_ subject: HandledSubject) -> CommandFailure {
    CommandFailure(.failed, "no application \(subject.words.phrase)")
  }
}
