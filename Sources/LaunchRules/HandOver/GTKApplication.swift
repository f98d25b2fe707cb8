/// The interface `org.gtk.Application` of `GApplication`, at the object path of the bus name.
enum GTKApplication {
  static let interface = "org.gtk.Application"
  /// The object at which the application prints for its caller. It need not exist.
  private static let output = "/org/gtk/Application/CommandLine"

  /// `Open`, after the proof that the application does not take command lines.
  ///
  /// An application with the flag for command lines may answer `Open` and drop the URL. An application that refuses a
  /// command line with `NotSupported` has this flag not: its own second process would send `Open`, too.
  static func open(_ subject: HandOverProtocol.Subject, at path: String) -> [BusRequest] {
    let proof = commandLine(subject, at: path)
    guard !proof.isEmpty else { return [] }
    return proof + [
      BusRequest(
        path, interface, "Open",
        [.strings([subject.url]), .string(""), .options(subject.platformData)])
    ]
  }

  static func commandLine(_ subject: HandOverProtocol.Subject, at path: String) -> [BusRequest] {
    guard let commandLine = subject.commandLine else { return [] }
    var data = subject.platformData
    data["cwd"] = .bytes(Array(subject.folder.utf8) + [0])
    return [
      BusRequest(
        path, interface, "CommandLine",
        [.objectPath(output), .byteStrings(commandLine), .options(data)])
    ]
  }

  static func verdictOnOpen(_ answer: BusAnswer, _ step: Int) -> HandOverProtocol.Verdict {
    guard step == 0 else { return HandOverProtocol.verdict(on: answer, taken: .delivered) }
    if case .error(HandOverProtocol.notSupported, _) = answer { return .proceed }
    // A version that takes command lines has taken this one.
    return HandOverProtocol.verdictOnStatus(answer)
  }
}
