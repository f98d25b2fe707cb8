internal import BusContract
internal import Commands
internal import DBus

/// `lsregister add`.
extension RegisterCommand {
  func add(
    _ path: String, _ invocation: RegisterInvocation
  ) throws(CommandFailure) {
    let path = try existing(path)
    let message = Contract.registerApplication(path, definitions: invocation.definitions)
    let identifier = try call(message).first?.asString ?? ""
    output.print(
      invocation.json
        ? JSON.text([Key.bundleIdentifier: .string(identifier), "path": .string(path)])
        : identifier)
    for oddity in oddities(at: path, invocation.definitions) { output.complain(oddity) }
    try tellCopies(of: identifier, addedAt: path)
  }

  /// Reports other bundles with the same identifier, and the bundle in use. Fails when that is not the added
  /// one.
  func tellCopies(of identifier: String, addedAt path: String) throws(CommandFailure) {
    guard let copies = RegisteredCopies(of: identifier, in: service) else { return }
    if copies.isUnused(path) { throw CommandFailure(.failed, copies.remark) }
    output.complain(copies.remark)
  }
}
