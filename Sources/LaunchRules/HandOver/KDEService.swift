/// The interface `org.kde.KDBusService`, at the object path of the bus name.
package enum KDEService {
  /// The bus name of one of several processes of an application. A second process that passes its URL on has no such
  /// name, also when it waits until the user closes what it has opened.
  /// - Parameter identifier: the desktop file ID.
  package static func name(of identifier: String, process: Int32) -> String? {
    let ending = ".desktop"
    guard identifier.hasSuffix(ending) else { return nil }
    return "\(identifier.dropLast(ending.count))-\(process)"
  }

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
