internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// `lsregister default`.
extension RegisterCommand {
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

  /// Prints JSON; the identifier is empty when the user's choice was removed.
  func print(_ identifier: String, isDefaultOf subject: HandledSubject) {
    output.print(
      JSON.text([
        Key.bundleIdentifier: .string(identifier), subject.words.key: .string(subject.text),
      ]))
  }

  /// - Parameter identifier: empty to remove the user's choice.
  func choose(_ identifier: String, for subject: HandledSubject) throws(CommandFailure) {
    do throws(CommandFailure) {
      try set(identifier, for: subject)
    } catch {
      let isUnknown =
        error.error == "NotRegistered"
        && error.reason.hasPrefix(OpenFailure.notRegistered(identifier).sentence)
      throw isUnknown ? notRegistered(identifier) : error
    }
  }

  private func set(_ identifier: String, for subject: HandledSubject) throws(CommandFailure) {
    switch subject {
    case .scheme(let scheme):
      _ = try call(Contract.setDefaultHandler(scheme.text, identifier))
    case .type(let type):
      _ = try call(Contract.setDefaultHandler(ofType: type.text, identifier))
    case .mimeType(let type):
      _ = try call(Contract.setDefaultHandler(ofType: type, identifier))
    case .file(let path):
      // A choice for a removed file can still be deleted.
      let url =
        identifier.isEmpty ? FilePath.url(FilePath.absolute(path, from: folder)) : try url(path)
      _ = try call(Contract.setHandler(ofDocument: url, identifier))
    }
  }
}
