internal import BusContract
internal import Commands
internal import DBus

/// `lsregister devices`.
extension RegisterCommand {
  /// Prints the devices. Returns a failure if none is known and some may be missing.
  func devices(json: Bool) throws(CommandFailure) -> ExitCode {
    let answer = try call(Contract.devices(startsService: true), Self.devicePatience)
    let devices = answer.first?.asOptionsList ?? []
    let problem = answer.dropFirst().first?.asString ?? ""
    if json {
      output.print(JSON.text(.optionsList(devices)))
    } else {
      output.print(Columns.lines(devices.map(Self.row)))
    }
    if !problem.isEmpty { output.complain(problem) }
    return problem.isEmpty || !devices.isEmpty ? .success : .failed
  }

  /// Timeout for the reply, in milliseconds: the daemon waits 10 s for the start of KDE Connect.
  private static let devicePatience: Int32 = 20_000

  private static func row(_ device: Options) -> [String] {
    func text(_ key: String) -> String { device[key]?.asString ?? "-" }
    func word(_ key: String, _ yes: String, _ no: String) -> String {
      device[key]?.asBoolean.map { $0 ? yes : no } ?? "-"
    }
    return [
      text(Key.name), text(Key.id), text(Key.type), text(Key.transport),
      word(Key.paired, "paired", "unpaired"), word(Key.reachable, "reachable", "unreachable"),
    ]
  }
}
