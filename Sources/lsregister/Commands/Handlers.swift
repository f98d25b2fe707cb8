internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// `lsregister handlers`.
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

  /// The identifiers of the handlers, best first, with the reasons of their ranks.
  func handlers(
    of subject: HandledSubject
  ) throws(CommandFailure) -> [(identifier: String, reason: String)] {
    let answer =
      switch subject {
      case .scheme(let scheme): try call(Contract.handlers(scheme.text))
      case .type(let type): try call(Contract.handlers(ofType: type.text))
      case .mimeType(let type): try call(Contract.handlers(ofType: type))
      case .file(let path): try call(Contract.handlers(ofDocument: try url(path)))
      }
    let identifiers = answer.first?.asStrings ?? []
    let reasons = answer.dropFirst().first?.asStrings ?? []
    return identifiers.indices.map { index in
      (identifiers[index], index < reasons.count ? reasons[index] : "-")
    }
  }

  func nobody(_ subject: HandledSubject) -> CommandFailure {
    CommandFailure(.failed, "no application \(subject.words.phrase)")
  }
}
