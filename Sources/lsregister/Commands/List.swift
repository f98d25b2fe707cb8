internal import BusContract
internal import Commands
internal import DBus

/// `lsregister list`.
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
}
