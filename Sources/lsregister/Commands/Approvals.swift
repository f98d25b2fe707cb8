internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// `lsregister approvals`: the user's remembered answers.
extension RegisterCommand {
  /// An action of `lsregister approvals`.
  enum ApprovalAction: Equatable {
    case list
    case set([Approval])
    /// Empty texts match everything.
    case reset(opener: String, scheme: String, handler: String)
    case importFile(String)
    case exportFile(String)
  }

  func approvals(_ action: ApprovalAction, json: Bool) throws(CommandFailure) {
    switch action {
    case .list: try listApprovals(json: json)
    case .set(let approvals):
      _ = try call(Contract.setApprovals(approvals))
      for handler in approvals.map(\.key.handler) { remarkIfUnknown(handler) }
    case .reset(let opener, let scheme, let handler):
      let message = Contract.resetApprovals(opener: opener, scheme: scheme, handler: handler)
      let count = try call(message).first?.asUInt32 ?? 0
      output.print(json ? JSON.text(["count": .uint32(count)]) : "\(count) forgotten")
    case .importFile(let path):
      let approvals = try ApprovalFile.read(try existing(path))
      _ = try call(Contract.setApprovals(approvals))
      output.print(
        json
          ? JSON.text(["count": .uint32(UInt32(approvals.count))]) : "\(approvals.count) imported")
    case .exportFile(let path):
      try ApprovalFile.write(try remembered(), to: FilePath.absolute(path, from: folder))
    }
  }

  /// A handler may be registered after the answer about it, so an unknown one is no error.
  private func remarkIfUnknown(_ handler: BundleIdentifier) {
    guard !Device.isIdentifier(handler),
      let found = try? call(Contract.findApplications(.identifier(handler.text))),
      found.first?.asOptionsList?.isEmpty == true
    else { return }
    output.complain(
      "no application '\(handler)' is registered yet, so the answer has no effect now; the scheme comes"
        + " first: lsregister approvals allow SCHEME ID")
  }

  private func listApprovals(json: Bool) throws(CommandFailure) {
    let approvals = try remembered()
    if json { return output.print(JSON.text(.optionsList(approvals.map(\.dictionary)))) }
    output.print(
      Columns.lines(
        approvals.map {
          [
            $0.isAllowed ? "allow" : "deny", "\($0.key.opener)", $0.key.scheme.text,
            $0.key.handler.text,
          ]
        }))
  }

  private func remembered() throws(CommandFailure) -> [Approval] {
    let list = try call(Contract.approvals()).first?.asOptionsList ?? []
    do throws(BusError) {
      return try list.map { options throws(BusError) in try Approval(options) }.sorted {
        ("\($0.key.opener)", $0.key.scheme.text, $0.key.handler.text)
          < ("\($1.key.opener)", $1.key.scheme.text, $1.key.handler.text)
      }
    } catch {
      throw CommandFailure(.failed, "launchservicesd returned an invalid approval: \(error.text)")
    }
  }
}
