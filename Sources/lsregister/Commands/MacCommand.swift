internal import BusContract
internal import Commands
internal import DBus

/// The command line of macOS's `lsregister`, as far as applicable.
extension RegisterCommand {
  func perform(_ mac: MacInvocation) throws(CommandFailure) -> ExitCode {
    if mac.forgetsAll { try forget(mac, missingOnly: false) }
    if mac.forgetsMissing { try forget(mac, missingOnly: true) }
    var allWereKnown = true
    var code = try each(mac.paths) { path throws(CommandFailure) in
      if !mac.unregisters {
        try register(path, mac)
      } else if try !unregister(path, mac) {
        allWereKnown = false
      }
    }
    if code == .success, !allWereKnown { code = .no }
    if mac.rescans || mac.forgetsAll { try reload() }
    if mac.lints, mac.paths.isEmpty, try !lintAll(), code == .success { code = .no }
    if mac.dumps { try dump(coreTypes: false, json: false) }
    return code
  }

  private func forget(_ mac: MacInvocation, missingOnly: Bool) throws(CommandFailure) {
    let paths = try call(Contract.forgetRegistrations(missingOnly: missingOnly)).first?.asStrings
    if mac.isVerbose { output.print((paths ?? []).map { "forgotten: \($0)" }) }
  }

  /// - Returns: whether the application was registered. If not, prints the message of macOS (R7.10).
  private func unregister(
    _ path: String, _ mac: MacInvocation
  ) throws(CommandFailure) -> Bool {
    let path = FilePath.absolute(path, from: folder)
    do throws(ServiceFailure) {
      _ = try service.call(Contract.unregisterApplication(path), Service.patience)
    } catch {
      if case .refused(let refusal) = error,
        refusal.name == RegistrationFailure.notRegistered("").busError.name
      {
        output.printError(["failed to scan \(path): -10814", " from spotlight"])
        return false
      }
      throw CommandFailure(error)
    }
    if mac.isVerbose { output.print("unregistered: \(path)") }
    return true
  }

  private func register(_ path: String, _ mac: MacInvocation) throws(CommandFailure) {
    let path = try existing(path)
    let bundles = BundleSearch.bundles(at: path, mac.search)
    guard !bundles.isEmpty else {
      throw CommandFailure(.failed, "\(path): no application is there")
    }
    for bundle in bundles {
      if mac.lints { try printDiagnostics(of: bundle) }
      let identifier =
        try call(Contract.registerApplication(bundle)).first?.asString ?? ""
      if mac.isVerbose { output.print("registered: \(identifier)  \(bundle)") }
      try tellCopies(of: identifier, addedAt: bundle)
    }
  }

  private func printDiagnostics(of path: String) throws(CommandFailure) {
    let found = try call(Contract.lint(path)).first?.asOptionsList ?? []
    output.print(
      found.map { entry in
        ["file", "key-path", "severity", "problem", "consequence"]
          .compactMap { entry[$0]?.asString }.filter { !$0.isEmpty }.joined(separator: ": ")
      })
  }

  /// Prints the findings about all registered applications.
  /// - Returns: whether there was no error.
  private func lintAll() throws(CommandFailure) -> Bool {
    let lines = try applications().flatMap { $0["diagnostics"]?.asStrings ?? [] }
    output.print(lines)
    return !lines.contains { $0.contains(": error: ") }
  }
}
