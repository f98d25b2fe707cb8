internal import BusContract
internal import Commands
internal import DBus

/// `lsregister apps`.
extension RegisterCommand {
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
}
