internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// `lsregister type`.
extension RegisterCommand {
  /// Prints the type of a file, its reason, and the types that it conforms to.
  func type(of path: String, json: Bool) throws(CommandFailure) {
    let answer = try call(Contract.type(ofDocument: try url(path))).first?.asOptions ?? [:]
    if json { return output.print(JSON.text(answer)) }
    func text(_ key: String) -> String { answer[key]?.asString ?? "-" }
    var rows = [["type", text(Key.type)], ["why", text(Key.why)]]
    if let description = answer[Key.description]?.asString {
      rows.append([Key.description, description])
    }
    rows += (answer[Key.conformsTo]?.asStrings ?? []).map { [Key.conformsTo, $0] }
    output.print(Columns.lines(rows))
  }

  /// The URL of an existing file.
  func url(_ path: String) throws(CommandFailure) -> String {
    DocumentURL.isOne(path) ? path : FilePath.url(try existing(path))
  }
}
