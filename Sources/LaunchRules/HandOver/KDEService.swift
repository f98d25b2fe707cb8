/// The interface `org.kde.KDBusService`, at the object path of the bus name.
enum KDEService {
  /// The call that a second process would make. Some programs handle only command lines, and drop what comes by
  /// `org.freedesktop.Application`.
  static func commandLine(_ subject: HandOverProtocol.Subject, at path: String) -> [BusRequest] {
    guard let commandLine = subject.commandLine else { return [] }
    return [
      BusRequest(
        path, "org.kde.KDBusService", "CommandLine",
        [.strings(commandLine), .string(subject.folder), .options(subject.platformData)])
    ]
  }
}
