/// The single instance of Wails 2: a second process sends its command line as JSON, and ends with status 1.
///
/// Wails 3 has the same names on the bus and reads another form, which may be encrypted, so this protocol is only for
/// applications that the user has chosen it for.
enum WailsInstance {
  static func requests(
    for subject: HandOverProtocol.Subject, to name: String
  ) -> [BusRequest] {
    guard let commandLine = subject.commandLine else { return [] }
    let message: [String: BusRequest.Argument] = [
      "Args": .strings(Array(commandLine.dropFirst())),
      "WorkingDirectory": .string(subject.folder),
    ]
    return [BusRequest(BusRequest.path(of: name), name, "SendMessage", [.json(message)])]
  }
}
