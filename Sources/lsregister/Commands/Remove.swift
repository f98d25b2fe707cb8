internal import BusContract
internal import Commands
internal import DBus

/// `lsregister remove`.
extension RegisterCommand {
  /// - Parameter operands: identifiers, and paths, which contain a `/`. The paths need not exist.
  func remove(_ operands: [String], json: Bool) throws(CommandFailure) -> ExitCode {
    try each(operands) { operand throws(CommandFailure) in
      let isPath = operand.contains("/")
      let name = isPath ? FilePath.absolute(operand, from: folder) : operand
      _ = try call(Contract.unregisterApplication(name))
      if json {
        output.print(JSON.text([isPath ? Key.path : Key.bundleIdentifier: .string(name)]))
      }
      if !isPath {
        removeStandIn(of: name)
        tellWhatRuns(of: name)
      }
    }
  }

  /// Reports the running processes of a removed application.
  private func tellWhatRuns(of identifier: String) {
    let running = try? call(Contract.runningApplications()).first?.asOptionsList
    for application in running ?? [] {
      guard Self.identifier(of: application).lowercased() == identifier.lowercased(),
        let pid = application[Key.pid]?.asUInt32, pid != 0
      else { continue }
      output.complain("\(Self.identifier(of: application)) still runs, as process \(pid)")
    }
  }
}
